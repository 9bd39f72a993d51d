#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::history {

// The most names of one list; more are an error.
inline constexpr std::size_t kMostHosts = 100'000;

// Reads a list of nodes as Slurm writes it: "gpu[1-3,07-09],login,rack[1-2]n[01-04]". A number has the width of the
// first one of its range. Names stay in the order of the list. `where` is the place in errors.
Result<std::vector<std::string>> ExpandHostlist(std::string_view text, std::string_view where);

}  // namespace heliostat::history
