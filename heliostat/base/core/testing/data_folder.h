#pragma once

#include <cstdlib>
#include <filesystem>

namespace heliostat::testing {

// The optional folder of public traces: the value of HELIOSTAT_DATA, or shared/data next to the checkout. Tests that
// need it are skipped when it is absent.
inline std::filesystem::path DataFolder() {
  const char* named = std::getenv("HELIOSTAT_DATA");
  return named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(HELIOSTAT_SOURCE_DIR) / "../shared/data";
}

inline constexpr const char* kNoData = "the public traces are not here (set HELIOSTAT_DATA): ";

}  // namespace heliostat::testing
