#include "fuzz/target_name.h"

const char* const kTargetName = HELIOSTAT_FUZZ_TARGET;
