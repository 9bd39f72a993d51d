#include "heliostat/base/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace heliostat {

void BrokenInvariant(std::string_view why, const char* file, int line) {
  std::fprintf(stderr, "heliostat: broken invariant at %s:%d: %.*s\n", file, line, static_cast<int>(why.size()),
               why.data());
  std::abort();
}

}  // namespace heliostat
