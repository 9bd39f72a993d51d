#include "heliostat/store/default_path.h"

namespace heliostat::store {

Result<std::string> DefaultStorePath(const Environment& lookup) {
  const auto chosen = lookup("HELIOSTAT_STORE");
  if (chosen && !chosen->empty()) return *chosen;
  const auto cache = lookup("XDG_CACHE_HOME");
  if (cache && cache->starts_with('/')) return *cache + "/heliostat/signals.db";
  const auto home = lookup("HOME");
  if (home && home->starts_with('/')) return *home + "/.cache/heliostat/signals.db";
  return Fail(ErrorCode::kNotFound, "signal store", "has no place: HOME is not set", "set HELIOSTAT_STORE to a path");
}

}  // namespace heliostat::store
