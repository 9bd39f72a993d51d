#include "heliostat/signals/synthetic/season_curve.h"

#include <cmath>
#include <numbers>
#include <span>

namespace heliostat::synthetic {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDaysPerYear = 365.2425;

// 1, cos(x), sin(x), cos(2x), sin(2x), ...
template <std::size_t N>
std::array<double, N> Harmonics(double angle) {
  std::array<double, N> terms{};
  terms[0] = 1;
  for (std::size_t k = 1; 2 * k < N; ++k) {
    terms[2 * k - 1] = std::cos(static_cast<double>(k) * angle);
    terms[2 * k] = std::sin(static_cast<double>(k) * angle);
  }
  return terms;
}

using DailyTerms = std::array<double, kDailyTerms>;

const std::array<DailyTerms, 24>& DailyTermsByHour() {
  static const auto kTable = [] {
    std::array<DailyTerms, 24> table{};
    for (std::size_t h = 0; h < 24; ++h) table[h] = Harmonics<kDailyTerms>(kTurn * (static_cast<double>(h) + 0.5) / 24);
    return table;
  }();
  return kTable;
}

double Dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::int64_t Modulo(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

}  // namespace

std::vector<double> SeasonCurve::Over(std::int64_t first, std::size_t count) const {
  std::vector<double> values(count);
  const std::span<const double> coefficients(coefficients_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t hour = first + static_cast<std::int64_t>(i) + utc_offset_hours_;
    const std::int64_t hour_of_day = Modulo(hour, 24);
    const std::int64_t day = (hour - hour_of_day) / 24;
    const double years = (static_cast<double>(hour) + 0.5) / 24 / kDaysPerYear + (south_ ? 0.5 : 0.0);
    const auto annual = Harmonics<kAnnualTerms>(kTurn * (years - std::floor(years)));
    const DailyTerms& daily = DailyTermsByHour()[static_cast<std::size_t>(hour_of_day)];
    double sum = 0;
    for (std::size_t a = 0; a < kAnnualTerms; ++a) {
      sum += annual[a] * Dot(coefficients.subspan(a * kDailyTerms, kDailyTerms), daily);
    }
    const bool is_weekend = Modulo(day, 7) < 2;  // 2000-01-01 was a Saturday
    if (is_weekend) sum += Dot(coefficients.last(kWeekendTerms), daily);
    values[i] = sum;
  }
  return values;
}

}  // namespace heliostat::synthetic
