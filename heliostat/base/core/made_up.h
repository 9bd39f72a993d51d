#pragma once

#include <string_view>

namespace heliostat {

// How the names of GPUs end that exist as a model only (`--fake-gpu`). The mark is a part of the name, so that every
// list, lease, bill and ledger that names the GPU shows it.
inline constexpr std::string_view kMadeUpMark = " (made up)";

inline bool IsMadeUp(std::string_view gpu_name) { return gpu_name.ends_with(kMadeUpMark); }

}  // namespace heliostat
