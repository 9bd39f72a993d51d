#pragma once

// The NAME of the add_fuzz_target() that runs, for a harness that several targets share.
const char* TargetName();
