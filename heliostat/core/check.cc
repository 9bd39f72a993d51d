#include "heliostat/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace heliostat {

void Check(bool holds, std::string_view why, std::source_location at) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "heliostat: broken invariant at %s:%u: %.*s\n", at.file_name(), static_cast<unsigned>(at.line()),
               static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace heliostat
