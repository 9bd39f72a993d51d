#include "heliostat/control/policy/service_scaler.h"

#include <algorithm>
#include <limits>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {
namespace {

// The reserve is for at least this multiple of the present rate.
constexpr double kBusier = 1.3;

}  // namespace

void ServiceScaler::Follow(const std::shared_ptr<const scenario::Site>& seen) {
  if (seen_ == seen) return;
  seen_ = seen;
  const scenario::Site& site = *seen;
  site_ = site;
  reserved_.assign(site.groups.size(), 0);
  wanted_.assign(site.groups.size(), 0);
  original_.clear();
  best_.clear();
  // Services run at default clocks.
  scenario::Profiles<scenario::InferencePoint> defaults;
  for (const auto& [key, points] : site.inference.all()) {
    const std::vector<std::size_t> untouched = Untouched(points);
    for (std::size_t g = 0; g < site.groups.size(); ++g) {
      auto& indices = original_[key.first];
      indices.resize(site.groups.size());
      if (site.groups[g].gpu != key.second) continue;
      indices[g] = untouched;
    }
    for (const std::size_t i : untouched) defaults.Add(key.first, key.second, points[i]);
  }
  site_.inference = std::move(defaults);
}

Serving ServiceScaler::BestFor(const scenario::Service& service, double requests_per_s) const {
  scenario::Service now = service;
  now.requests_per_s = {requests_per_s};
  Serving best;
  Watts least{std::numeric_limits<double>::infinity()};
  for (const serving::ServingOption& option : serving::OptionsFor(site_, now, 0, false)) {
    if (option.power >= least) continue;
    least = option.power;
    best = {option.group, option.point, option.replicas};
  }
  if (!(least.value < std::numeric_limits<double>::infinity())) {
    double most = 0.0;
    for (std::size_t g = 0; g < site_.groups.size(); ++g) {
      const int replicas = std::min(service.max_replicas, site_.groups[g].gpus());
      const auto& points = site_.inference.Of(service.model, site_.groups[g].gpu);
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (replicas * points[i].requests_per_s <= most) continue;
        most = replicas * points[i].requests_per_s;
        best = {g, i, replicas};
      }
    }
  }
  const auto indices = original_.find(service.model);
  if (indices != original_.end() && !indices->second[best.group].empty()) {
    best.point = indices->second[best.group][best.point];
  }
  return best;
}

void ServiceScaler::Look(const Observation& observation) {
  rates_.resize(observation.services.size());
  best_.resize(observation.services.size());
  std::fill(reserved_.begin(), reserved_.end(), 0);
  std::fill(wanted_.begin(), wanted_.end(), 0);
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    const ServiceState& state = observation.services[s];
    const double rate = state.requests_per_s;
    auto& rates = rates_[s];
    while (!rates.empty() && rates.front().first + std::chrono::days{1} <= observation.now) rates.pop_front();
    while (!rates.empty() && rates.back().second <= rate) rates.pop_back();
    rates.emplace_back(observation.now, rate);
    best_[s] = BestFor(state.asked, rate);
    const Serving busiest = BestFor(state.asked, std::max(rates.front().second, kBusier * rate));
    wanted_[best_[s].group] += best_[s].replicas;
    if (busiest.group == best_[s].group) {
      reserved_[best_[s].group] += std::max(0, busiest.replicas - best_[s].replicas);
    }
  }
}

void ServiceScaler::Attend(const Observation& observation, Decision& decision) {
  Follow(observation.site);
  if (observation.services.empty()) return;
  if (observation.slot_begins || best_.empty()) Look(observation);
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    if (best_[s] != observation.services[s].serving) decision.services.push_back({s, best_[s], {Reason::Kind::kLoad}});
  }
}

}  // namespace heliostat::policy
