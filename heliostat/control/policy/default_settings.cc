#include "heliostat/control/policy/default_settings.h"

#include <algorithm>

namespace heliostat::policy {

std::vector<RunSetting> FastestFirst(const Choices& choices) {
  std::vector<RunSetting> ways;
  for (const std::size_t group : choices.groups()) ways.push_back(*choices.Default(group));
  return ways;
}

std::vector<RunSetting> FirstFit(const Choices& choices) {
  std::vector<RunSetting> ways = FastestFirst(choices);
  std::sort(ways.begin(), ways.end(), [](const RunSetting& a, const RunSetting& b) { return a.group < b.group; });
  return ways;
}

}  // namespace heliostat::policy
