#include "heliostat/base/core/home_path.h"

#include <fmt/format.h>

#include <array>

namespace heliostat {
namespace {

struct Rule {
  const char* variable;
  const char* below_home;
};
// Indexed by HomeFolder.
constexpr std::array<Rule, 4> kRules{{{"XDG_CACHE_HOME", "/.cache"},
                                      {"XDG_DATA_HOME", "/.local/share"},
                                      {"XDG_STATE_HOME", "/.local/state"},
                                      {"XDG_CONFIG_HOME", "/.config"}}};

}  // namespace

Result<std::string> HomePath(const HomeFile& file, const Environment& environment) {
  if (const auto chosen = environment(file.variable); chosen && !chosen->empty()) return *chosen;
  const Rule& rule = kRules.at(static_cast<std::size_t>(file.folder));
  const std::string ours = std::string("/heliostat") + (*file.name == '\0' ? "" : "/") + file.name;
  if (const auto folder = environment(rule.variable); folder && folder->starts_with('/')) return *folder + ours;
  if (const auto home = environment("HOME"); home && home->starts_with('/')) return *home + rule.below_home + ours;
  return Fail(ErrorCode::kNotFound, file.what, "has no path: HOME is not set",
              fmt::format("set HOME, or {} to a path", file.variable));
}

}  // namespace heliostat
