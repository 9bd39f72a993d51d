#include "heliostat/control/policy/ways.h"

#include <algorithm>

namespace heliostat::policy {

std::vector<Setting> FastestFirst(const Choices& choices) {
  std::vector<Setting> ways;
  for (const std::size_t group : choices.groups()) ways.push_back(*choices.Default(group));
  return ways;
}

std::vector<Setting> FirstFit(const Choices& choices) {
  std::vector<Setting> ways = FastestFirst(choices);
  std::sort(ways.begin(), ways.end(), [](const Setting& a, const Setting& b) { return a.group < b.group; });
  return ways;
}

}  // namespace heliostat::policy
