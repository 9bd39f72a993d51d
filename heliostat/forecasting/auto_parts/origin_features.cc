#include "heliostat/forecasting/auto_parts/origin_features.h"

#include <cmath>
#include <numbers>

namespace heliostat::auto_parts {
namespace {

constexpr std::size_t kLags = 12;
constexpr double kLongestHours = 336;

}  // namespace

OriginFeatures::OriginFeatures(const Frame& frame, const ZoneCalendar& calendar, std::span<const Baseline> baselines,
                               bool seasons, bool powers)
    : frame_(frame), calendar_(calendar), baselines_(baselines), seasons_(seasons), powers_(powers) {
  const std::size_t used = 1 + frame.signs + (powers ? frame.powers : 0);
  for (std::size_t c = 0; c < used; ++c) {
    std::vector<double> sums(frame.size + 1, 0.0);
    for (std::size_t t = 0; t < frame.size; ++t) sums[t + 1] = sums[t] + baselines[c].Anomaly(t);
    sums_.push_back(std::move(sums));
  }
}

std::size_t OriginFeatures::Count(std::size_t signs, std::size_t powers, bool seasons) {
  const std::size_t own = kLags + 4, weekdays = 6;
  const std::size_t of_a_wave = 10 + 2 * signs;
  return own + 4 * signs + 3 * powers + (seasons ? 2 : 0) + weekdays + 4 * of_a_wave;
}

std::size_t OriginFeatures::FirstOrigin(const Frame& frame) { return frame.Hours(kLongestHours) + kLags; }

double OriginFeatures::Last(std::size_t column, std::size_t origin, std::size_t lag) const {
  return baselines_[column].Anomaly(origin - lag);
}

double OriginFeatures::Mean(std::size_t column, std::size_t origin, double hours) const {
  const std::size_t steps = frame_.Hours(hours);
  return (sums_[column][origin] - sums_[column][origin - steps]) / static_cast<double>(steps);
}

void OriginFeatures::Fill(std::size_t origin, std::span<double> row) const {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::size_t at = 0;
  const auto write = [&](double value) { row[at++] = value; };
  for (std::size_t lag = 1; lag <= kLags; ++lag) write(Last(0, origin, lag));
  for (const double hours : {24.0, 72.0, 168.0, kLongestHours}) write(Mean(0, origin, hours));
  for (std::size_t c = 1; c <= frame_.signs; ++c) {
    write(Last(c, origin));
    for (const double hours : {6.0, 24.0, 72.0}) write(Mean(c, origin, hours));
  }
  if (powers_) {
    for (std::size_t c = frame_.signs + 1; c <= frame_.signs + frame_.powers; ++c) {
      write(Last(c, origin));
      for (const double hours : {24.0, 72.0}) write(Mean(c, origin, hours));
    }
  }
  const Instant now = frame_.TimeOf(origin);
  const double seconds = static_cast<double>(now.time_since_epoch().count());
  if (seasons_) {
    const double of_year = kTurn * std::fmod(seconds, 365.2425 * 86400) / (365.2425 * 86400);
    write(std::sin(of_year));
    write(std::cos(of_year));
  }
  const auto day = calendar_.At(now);
  for (unsigned weekday = 0; weekday < 6; ++weekday) write(day.weekday == weekday ? 1 : 0);

  // The influence of the present on the future depends on the time of day: wind at noon differs from wind at night.
  const double of_day = kTurn * std::fmod(seconds, 86400.0) / 86400.0;
  const double waves[] = {std::sin(of_day), std::cos(of_day), std::sin(2 * of_day), std::cos(2 * of_day)};
  for (const double wave : waves) {
    write(wave);
    write(wave * Last(0, origin));
    for (const double hours : {6.0, 24.0}) write(wave * Mean(0, origin, hours));
    for (const std::size_t lag : {2UL, 3UL, 4UL, 6UL, 9UL, 12UL}) write(wave * Last(0, origin, lag));
    for (std::size_t c = 1; c <= frame_.signs; ++c) {
      write(wave * Last(c, origin));
      write(wave * Mean(c, origin, 24));
    }
  }
}

}  // namespace heliostat::auto_parts
