#include "heliostat/control/controller/memory.h"

#include <malloc.h>

namespace heliostat::controller {

void KeepMemorySmall() {
  constexpr int kLargeBlock = 128 << 10;
  (void)::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  (void)::mallopt(M_TRIM_THRESHOLD, kLargeBlock);
  (void)::mallopt(M_ARENA_MAX, 1);
}

}  // namespace heliostat::controller
