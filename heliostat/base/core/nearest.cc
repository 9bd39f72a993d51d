#include "heliostat/base/core/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace heliostat {
namespace {

constexpr std::size_t kLongestName = 60;  // bounds the cost for long names

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

std::string_view Nearest(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view start = name.substr(0, kLongestName);
  std::string_view nearest;
  std::size_t least = start.size() / 3 + 1;  // a larger distance is another word
  for (const std::string_view one : known) {
    const std::size_t distance = EditDistance(start, one);
    if (distance > least || distance >= one.size() || (distance == least && !nearest.empty())) continue;
    nearest = one;
    least = distance;
  }
  return nearest;
}

std::string OneOf(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = Nearest(name, known);
  if (nearest.empty()) return fmt::format("one of {}", fmt::join(known, ", "));
  return fmt::format("did you mean {}? One of {}", nearest, fmt::join(known, ", "));
}

}  // namespace heliostat
