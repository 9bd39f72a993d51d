#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/auto_parts/frame.h"

namespace heliostat::auto_parts::testing {

// A Monday.
inline constexpr Instant kStart = std::chrono::sys_days{std::chrono::March / 1 / 2021};

inline signal::Signal SignalOf(std::vector<double> values, Duration step = std::chrono::hours{1},
                               signal::Kind kind = signal::Kind::kCarbonIntensity, std::string name = "target",
                               Instant start = kStart) {
  signal::Meaning meaning;
  meaning.kind = kind;
  return {std::move(name), meaning, *signal::StepSeries::Make(start, step, std::move(values))};
}

inline std::vector<double> Values(std::size_t count, const std::function<double(std::size_t)>& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

// Hourly columns: the target, `signs` signs, `powers` powers.
inline Frame FrameOf(std::vector<std::vector<double>> columns, std::size_t signs = 0, std::size_t powers = 0) {
  const std::size_t size = columns[0].size();
  return {kStart, std::chrono::hours{1}, 24, size, std::move(columns), signs, powers};
}

// The hour of the day as an angle.
inline double Turn(std::size_t hour) { return 2 * 3.141592653589793 * static_cast<double>(hour % 24) / 24; }
inline bool IsWeekend(std::size_t hour) { return hour / 24 % 7 >= 5; }

// A daily and weekly pattern around a random level.
inline std::vector<double> Wandering(std::size_t hours, std::uint64_t seed, double noise = 0.05) {
  RandomStream random(seed);
  double level = 0;
  return Values(hours, [&](std::size_t i) {
    level = 0.97 * level + random.Normal(0, noise);
    return std::sin(Turn(i)) - (IsWeekend(i) ? 0.3 : 0.0) + level;
  });
}

// Three sources, and their intensity with the factors 20, 500 and 900.
struct Grid {
  signal::Signal intensity;
  std::vector<signal::Signal> sources;
};
inline Grid GridOf(std::size_t hours, std::uint64_t seed, double noise = 0) {
  const auto wind = Wandering(hours, seed, 0.15), load = Wandering(hours, seed + 1, 0.02);
  RandomStream random(seed + 2);
  std::vector<double> of_wind, of_gas, of_coal, intensity;
  for (std::size_t i = 0; i < hours; ++i) {
    of_wind.push_back(2000 * std::exp(0.5 * wind[i]));
    of_coal.push_back(1500 + 100 * std::cos(Turn(i)));
    of_gas.push_back(3000 * std::exp(0.3 * load[i]));
    const double total = of_wind[i] + of_gas[i] + of_coal[i];
    const double made = (20 * of_wind[i] + 500 * of_gas[i] + 900 * of_coal[i]) / total;
    intensity.push_back(made * std::exp(random.Normal(0, noise)));
  }
  constexpr Duration kHour = std::chrono::hours{1};
  constexpr auto kPower = signal::Kind::kPower;
  return {SignalOf(std::move(intensity)),
          {SignalOf(std::move(of_wind), kHour, kPower, "wind"), SignalOf(std::move(of_gas), kHour, kPower, "gas"),
           SignalOf(std::move(of_coal), kHour, kPower, "coal")}};
}

}  // namespace heliostat::auto_parts::testing
