#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// What a person needs to know to choose a provider and to set it up.
struct ProviderFacts {
  std::string_view name;  // "energy-charts"
  std::string_view description;
  signal::Kind kind;
  bool measures;
  bool forecasts;
  std::vector<std::string_view> keys;  // variables that must be set; each also as ..._FILE
};

// All providers, by name.
std::span<const ProviderFacts> ProviderList();

// Builds one. kNotFound for a name that is not in the list, kPermissionDenied
// when a key is not set or open to others. Asks nothing yet.
Result<Provider> MakeProvider(std::string_view name, const Dependencies& dependencies);

}  // namespace heliostat::provider
