#include "heliostat/signals/store/default_path.h"

#include "heliostat/base/core/home_path.h"

namespace heliostat::store {

Result<std::string> DefaultStorePath(const Environment& environment) {
  return HomePath({"signal store", "HELIOSTAT_STORE", HomeFolder::kCache, "signals.db"}, environment);
}

}  // namespace heliostat::store
