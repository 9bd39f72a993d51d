#pragma once

// NAME of the add_fuzz_target() that a harness runs in, for those that several targets share.
extern const char* const kTargetName;
