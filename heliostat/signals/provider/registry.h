#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The facts that a user needs to choose a provider and to set it up.
struct ProviderFacts {
  std::string_view name;  // "energy-charts"
  std::string_view description;
  signal::Kind kind;
  bool measures;
  bool forecasts;
  std::vector<std::string_view> keys;  // environment variables that must be set, each as itself or as ..._FILE
};

// All providers, sorted by name.
std::span<const ProviderFacts> ProviderList();

// The facts of one provider; kNotFound for a name that is not in the list.
Result<ProviderFacts> FindProvider(std::string_view name);

// Builds a provider; sends no request. kNotFound for a name that is not in the list, kPermissionDenied when a key is
// not set or its file is accessible to others.
Result<Provider> MakeProvider(std::string_view name, const Dependencies& dependencies);

}  // namespace heliostat::provider
