#include "heliostat/control/sim/year_saving.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/random.h"

namespace heliostat::sim {
namespace {

constexpr double kDaysPerYear = 365.25;
constexpr std::chrono::days kDay{1};
constexpr std::chrono::weeks kWeek{1};
constexpr std::size_t kDraws = 2000;

std::vector<double> Values(const std::vector<SavedInPart>& parts, double SavedInPart::*value) {
  std::vector<double> values;
  values.reserve(parts.size());
  for (const SavedInPart& part : parts) values.push_back(part.*value);
  return values;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

YearRange OfWeeks(const std::vector<double>& values) {
  const double per_year = kDaysPerYear / 7.0;
  const auto [low, high] = std::ranges::minmax(values);
  return {low * per_year, MeanOf(values) * per_year, high * per_year};
}

YearRange OfDays(const std::vector<double>& values) {
  RandomStream random(1);  // equal simulations give equal ranges
  std::vector<double> means(kDraws);
  for (double& mean : means) {
    for (std::size_t i = 0; i < values.size(); ++i) mean += values[random.Below(values.size())];
    mean /= static_cast<double>(values.size());
  }
  std::ranges::sort(means);
  const double mean = MeanOf(values);
  // Of few days with one outlier, the mean itself may be beyond a quantile of the draws.
  return {std::min(mean, means[kDraws / 20]) * kDaysPerYear, mean * kDaysPerYear,
          std::max(mean, means[kDraws - 1 - kDraws / 20]) * kDaysPerYear};
}

}  // namespace

std::string YearSaving::Method() const {
  const std::string from = FormatInstant(parts.front().span.begin).substr(0, 10);
  const std::string to = FormatInstant(parts.back().span.end - Duration{1}).substr(0, 10);
  if (by_weeks) {
    return fmt::format(
        "as if the whole year were like the {} weeks from {} to {}; the range is from the least to the best of them",
        parts.size(), from, to);
  }
  return fmt::format(
      "as if the whole year were like the {0} days from {1} to {2}; the range holds 90 % of the means of {0} days "
      "drawn "
      "at random from them, and no other season",
      parts.size(), from, to);
}

YearSaving YearOfWeeks(std::vector<SavedInPart> weeks) {
  return {OfWeeks(Values(weeks, &SavedInPart::carbon_kg)), OfWeeks(Values(weeks, &SavedInPart::cost)), std::move(weeks),
          true};
}

YearSaving YearOfDays(std::vector<SavedInPart> days) {
  return {OfDays(Values(days, &SavedInPart::carbon_kg)), OfDays(Values(days, &SavedInPart::cost)), std::move(days),
          false};
}

std::vector<SavedInPart> SavedByPart(const scenario::Scenario& scenario, const SimulatedRun& base,
                                     const SimulatedRun& better, Duration length) {
  const auto slots = static_cast<std::size_t>(length / scenario.step);
  std::vector<SavedInPart> parts;
  for (std::size_t begin = 0; slots > 0 && begin + slots <= scenario.slots; begin += slots) {
    SavedInPart part;
    part.span = {scenario.SlotSpan(begin).begin, scenario.SlotSpan(begin + slots).begin};
    for (std::size_t t = begin; t < begin + slots; ++t) {
      part.carbon_kg += InKilograms(base.slots[t].carbon) - InKilograms(better.slots[t].carbon);
      part.cost += base.slots[t].cost - better.slots[t].cost;
    }
    parts.push_back(part);
  }
  return parts;
}

std::optional<YearSaving> SavedInAYear(const scenario::Scenario& scenario, const SimulatedRun& base,
                                       const SimulatedRun& better) {
  if (base.slots.size() != scenario.slots || better.slots.size() != scenario.slots) return std::nullopt;
  auto weeks = SavedByPart(scenario, base, better, kWeek);
  if (weeks.size() > 1) return YearOfWeeks(std::move(weeks));
  auto days = SavedByPart(scenario, base, better, kDay);
  if (days.size() < kFewestDays) return std::nullopt;
  return YearOfDays(std::move(days));
}

}  // namespace heliostat::sim
