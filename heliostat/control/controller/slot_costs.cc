#include "heliostat/control/controller/slot_costs.h"

#include <algorithm>
#include <cmath>

namespace heliostat::controller {

SlotCosts::SlotCosts(const policy::Forecast& forecast, Instant begin, Duration step, double pue)
    : begin_(begin), step_(step), pue_(pue), carbon_{0.0}, cost_{0.0} {
  const double seconds = Seconds(step).count();
  for (std::size_t s = 0; s < forecast.slots(); ++s) {
    const double price = forecast.price_per_kwh.empty() ? 0.0 : forecast.price_per_kwh[s] / kJoulesPerKwh;
    carbon_.push_back(carbon_.back() + forecast.carbon[s].value * seconds);
    cost_.push_back(cost_.back() + price * seconds);
  }
  const double whole = std::max(1.0, seconds * static_cast<double>(forecast.slots()));
  mean_ = {carbon_.back() / whole, cost_.back() / whole};
}

SlotCosts::Rate SlotCosts::Integral(Instant until) const {
  const double at = Seconds(until - begin_).count();
  const double seconds = Seconds(step_).count();
  const auto slots = carbon_.size() - 1;
  const double end = seconds * static_cast<double>(slots);
  if (at <= 0.0) return {mean_.carbon * at, mean_.cost * at};
  if (at >= end) return {carbon_.back() + mean_.carbon * (at - end), cost_.back() + mean_.cost * (at - end)};
  const auto slot = static_cast<std::size_t>(at / seconds);
  const double part = at / seconds - static_cast<double>(slot);
  return {carbon_[slot] + part * (carbon_[slot + 1] - carbon_[slot]),
          cost_[slot] + part * (cost_[slot + 1] - cost_[slot])};
}

SlotCosts::Cost SlotCosts::Of(const Interval& span, Watts power) const {
  if (!is_known() || span.empty()) return {};
  const Rate from = Integral(span.begin);
  const Rate to = Integral(span.end);
  const double watts = power.value * pue_;
  return {Grams{(to.carbon - from.carbon) * watts}, (to.cost - from.cost) * watts};
}

SlotCosts::Bounds SlotCosts::Within(Joules it) const {
  if (carbon_.size() < 2) return {};
  Rate low{1e300, 1e300};
  Rate high{-1e300, -1e300};
  const double seconds = Seconds(step_).count();
  for (std::size_t s = 0; s + 1 < carbon_.size(); ++s) {
    const Rate rate{(carbon_[s + 1] - carbon_[s]) / seconds, (cost_[s + 1] - cost_[s]) / seconds};
    low = {std::min(low.carbon, rate.carbon), std::min(low.cost, rate.cost)};
    high = {std::max(high.carbon, rate.carbon), std::max(high.cost, rate.cost)};
  }
  const double joules = it.value * pue_;
  return {{Grams{low.carbon * joules}, low.cost * joules}, {Grams{high.carbon * joules}, high.cost * joules}};
}

Instant SlotCosts::BestStart(Instant earliest, Instant latest, Duration length) const {
  if (!is_known() || latest <= earliest) return earliest;
  std::vector<Instant> starts{latest};
  for (std::size_t s = 0; s < carbon_.size(); ++s) {
    const Instant edge = begin_ + step_ * static_cast<std::int64_t>(s);
    for (const Instant start : {edge, edge - length}) {
      if (start > earliest && start < latest) starts.push_back(start);
    }
  }
  std::sort(starts.begin(), starts.end());
  Instant best = earliest;
  Cost least = Of({earliest, earliest + length}, Watts{1.0});
  for (const Instant start : starts) {
    const Cost cost = Of({start, start + length}, Watts{1.0});
    const double tolerance = 1e-9 * std::abs(least.carbon.value);
    const bool is_cleaner = cost.carbon.value < least.carbon.value - tolerance;
    const bool is_as_clean = cost.carbon.value <= least.carbon.value + tolerance;
    if (!is_cleaner && !(is_as_clean && cost.cost < least.cost - 1e-12)) continue;
    best = start;
    least = cost;
  }
  return best;
}

}  // namespace heliostat::controller
