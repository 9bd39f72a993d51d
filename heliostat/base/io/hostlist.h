#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::io {

// Lists of hosts as Slurm writes them: "login,gpu[01-03,7]", "rack[1-2]n[1-4]".

// More than the nodes of any cluster; a longer list is refused.
inline constexpr std::size_t kMostHosts = 100'000;

// The names of a list, in its order. An empty text and "(null)" have none. kInvalidArgument for a bracket that is not
// closed, a range that is none, or more than kMostHosts names.
Result<std::vector<std::string>> ExpandHostlist(std::string_view text);

// The shortest list of this form that ExpandHostlist() turns into exactly these names, in the same order: neighbours
// that differ by one in their last number become a range. The names must have no comma and no bracket.
std::string CompressHosts(const std::vector<std::string>& names);

}  // namespace heliostat::io
