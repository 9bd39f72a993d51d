#include "heliostat/model/scenario/paths.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {
namespace {

double ValueOf(double value) { return value; }
template <typename Quantity>
double ValueOf(Quantity quantity) {
  return quantity.value;
}

template <typename Value>
Status ValidateSignal(const std::vector<std::vector<Value>>& signal, const Scenario& scenario, std::size_t count,
                      double least, const std::string& where) {
  if (signal.empty()) return {};
  if (signal.size() != count) {
    return Fail(ErrorCode::kInvalidArgument, where, fmt::format("has {} paths", signal.size()),
                fmt::format("must be {}", count));
  }
  for (std::size_t path = 0; path < count; ++path) {
    if (signal[path].size() != scenario.slots) {
      return Fail(ErrorCode::kInvalidArgument, where,
                  fmt::format("has {} values in path {}", signal[path].size(), path + 1),
                  fmt::format("must be one per slot, {}", scenario.slots));
    }
    for (const Value value : signal[path]) {
      if (std::isfinite(ValueOf(value)) && ValueOf(value) >= least) continue;
      return Fail(ErrorCode::kInvalidArgument, where, fmt::format("is {} in path {}", ValueOf(value), path + 1),
                  least == 0.0 ? "must be 0 or more" : "must be a number");
    }
  }
  return {};
}

}  // namespace

void ApplyPath(const Paths& paths, std::size_t path, Scenario& scenario) {
  if (!paths.carbon.empty()) scenario.carbon = paths.carbon[path];
  if (!paths.renewable.empty()) scenario.renewable = paths.renewable[path];
  if (!paths.price_per_kwh.empty()) scenario.price_per_kwh = paths.price_per_kwh[path];
  for (std::size_t i = 0; i < paths.requests_per_s.size(); ++i) {
    if (!paths.requests_per_s[i].empty()) scenario.services[i].requests_per_s = paths.requests_per_s[i][path];
  }
}

Status ValidatePaths(const Scenario& scenario, const Paths& paths) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  if (auto bad = ValidateSignal(paths.carbon, scenario, paths.count, 0.0, "carbon"); !bad) return bad;
  if (auto bad = ValidateSignal(paths.renewable, scenario, paths.count, 0.0, "renewable"); !bad) return bad;
  if (auto bad = ValidateSignal(paths.price_per_kwh, scenario, paths.count, kAny, "price"); !bad) return bad;
  if (!paths.price_per_kwh.empty() && scenario.price_per_kwh.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "price", "has paths, but the scenario has no price", "give both or none");
  }
  if (!paths.requests_per_s.empty() && paths.requests_per_s.size() != scenario.services.size()) {
    return Fail(ErrorCode::kInvalidArgument, "paths", fmt::format("have {} services", paths.requests_per_s.size()),
                fmt::format("there are {}", scenario.services.size()));
  }
  for (std::size_t i = 0; i < paths.requests_per_s.size(); ++i) {
    const std::string where = fmt::format("service '{}'", Printable(scenario.services[i].id, 60));
    if (auto bad = ValidateSignal(paths.requests_per_s[i], scenario, paths.count, 0.0, where); !bad) return bad;
  }
  return {};
}

}  // namespace heliostat::scenario
