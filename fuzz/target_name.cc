#include "fuzz/target_name.h"

const char* TargetName() { return HELIOSTAT_FUZZ_TARGET; }
