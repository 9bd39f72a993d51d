#include "heliostat/forecasting/forecast/limits.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace heliostat::forecast {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr std::size_t kDaysLookedAt = 10;
constexpr std::size_t kFewestDays = 3;
constexpr double kDarkShareOfMost = 1e-3;             // inverters and meters show a little power at night
constexpr double kFewestDarkSlots = 0.25;             // share of the day: a shorter block of zeros is not a night
constexpr Duration kDawn = std::chrono::minutes{30};  // how much a day can grow at each end within a week

double Most(const std::vector<double>& values) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (value > most) most = value;
  }
  return most;
}

bool CanBeOfTheSun(signal::Kind kind) { return kind != signal::Kind::kCarbonIntensity && kind != signal::Kind::kPrice; }

std::size_t SlotOf(Instant t, Duration step) {
  const Duration since_midnight = t - std::chrono::floor<std::chrono::days>(t);
  return static_cast<std::size_t>(since_midnight / step);
}

// The newest days of a series, counted per slot of the day.
struct Days {
  std::vector<std::size_t> seen;  // known values per slot of the day
  std::vector<std::size_t> lit;   // those that are not dark

  bool IsDark(std::size_t slot) const { return lit[slot % lit.size()] == 0; }
};

Days NewestDays(const signal::StepSeries& series, double most) {
  const auto slots = static_cast<std::size_t>(kDay / series.step());
  Days days{std::vector<std::size_t>(slots, 0), std::vector<std::size_t>(slots, 0)};
  const std::size_t reach = std::min(series.size(), 3 * kDaysLookedAt * slots);
  for (std::size_t back = 1; back <= reach; ++back) {
    const double value = series.values()[series.size() - back];
    const std::size_t slot = SlotOf(series.TimeOf(series.size() - back), series.step());
    if (signal::IsMissing(value) || days.seen[slot] == kDaysLookedAt) continue;
    ++days.seen[slot];
    if (std::abs(value) > kDarkShareOfMost * most) ++days.lit[slot];
  }
  return days;
}

// True for solar power: each day has one block of darkness, which is long enough, and most values outside it are not
// dark. A wind farm in a calm week does not match.
bool AreOfTheSun(const Days& days) {
  const std::size_t slots = days.seen.size();
  std::size_t dusks = 0, dark = 0, seen_by_day = 0, lit_by_day = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    if (days.seen[i] < kFewestDays) return false;
    if (days.IsDark(i + 1) && !days.IsDark(i)) ++dusks;
    if (days.IsDark(i)) {
      ++dark;
    } else {
      seen_by_day += days.seen[i];
      lit_by_day += days.lit[i];
    }
  }
  return dusks == 1 && static_cast<double>(dark) >= kFewestDarkSlots * static_cast<double>(slots) &&
         2 * lit_by_day >= seen_by_day;
}

// The slots of the day without sun, minus a margin for days that become longer; empty when the series is not solar
// power.
std::vector<bool> Nights(const History& past) {
  const auto& series = past.target.series;
  if (!CanBeOfTheSun(past.target.meaning.kind) || kDay % series.step() != Duration{0}) return {};
  const double most = Most(series.values());
  if (!(most > 0)) return {};
  const Days days = NewestDays(series, most);
  if (!AreOfTheSun(days)) return {};

  const std::size_t slots = days.seen.size();
  const auto margin = static_cast<std::size_t>((kDawn + series.step() - Duration{1}) / series.step());
  std::vector<bool> night(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    bool is_night = true;
    for (std::size_t j = 0; j <= 2 * margin; ++j) is_night = is_night && days.IsDark(i + slots + j - margin);
    night[i] = is_night;
  }
  return night;
}

double HighestOf(const History& past) {
  const signal::Kind kind = past.target.meaning.kind;
  double highest = kOpen;
  if (kind == signal::Kind::kCapacityFactor) highest = 1;
  if (kind == signal::Kind::kShare) highest = 100;
  // A series that exceeded the limit before, by rounding or another unit, has no upper limit.
  if (Most(past.target.series.values()) > highest) return kOpen;
  return highest;
}

}  // namespace

ValueLimits LimitsOf(const History& past, std::size_t steps) {
  ValueLimits limits{std::vector<double>(steps, -kOpen), std::vector<double>(steps, HighestOf(past))};
  if (signal::MustNotBeNegative(past.target.meaning.kind)) limits.lowest.assign(steps, 0.0);
  const auto night = Nights(past);
  if (night.empty()) return limits;
  for (std::size_t i = 0; i < steps; ++i) {
    const Instant t = past.end() + past.step() * static_cast<std::int64_t>(i);
    if (!night[SlotOf(t, past.step())]) continue;
    limits.lowest[i] = 0;
    limits.highest[i] = 0;
  }
  return limits;
}

void Clamp(std::span<double> values, const ValueLimits& limits) {
  const std::size_t size = std::min({values.size(), limits.lowest.size(), limits.highest.size()});
  for (std::size_t i = 0; i < size; ++i) values[i] = std::clamp(values[i], limits.lowest[i], limits.highest[i]);
}

}  // namespace heliostat::forecast
