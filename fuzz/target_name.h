#pragma once

// The NAME of the add_fuzz_target() of this program, for a harness that several targets share.
extern const char* const kTargetName;
