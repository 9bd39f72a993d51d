#include "heliostat/forecasting/auto_parts/baseline.h"

#include <cmath>

namespace heliostat::auto_parts {
namespace {

// The weight of a day halves after this many days.
constexpr double kHalfLifeDays = 7;

// The running mean per time of day, in which newer days count more. It uses only the days before each value.
std::vector<double> RecentDays(const std::vector<double>& values, std::size_t day) {
  const double newest = 1 - std::exp2(-1 / kHalfLifeDays);
  std::vector<double> usual(values.size() + day);
  for (std::size_t t = 0; t < usual.size(); ++t) {
    if (t < day) {
      usual[t] = t < values.size() ? values[t] : values.back();
      continue;
    }
    usual[t] = usual[t - day] + newest * (values[t - day] - usual[t - day]);
  }
  return usual;
}

std::vector<double> ColumnOf(const regression::Matrix& matrix, std::size_t column) {
  std::vector<double> values(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) values[i] = matrix.Row(i)[column];
  return values;
}

}  // namespace

std::vector<Baseline> MakeBaselines(BaselineKind kind, const Frame& frame, const CalendarModel& model,
                                    const ZoneCalendar& calendar, std::size_t steps) {
  const std::size_t reach = frame.size + steps;
  const bool recent = kind == BaselineKind::kRecent;
  const regression::Matrix expected =
      recent ? model.DayEffects(frame, calendar, 0, reach) : model.Expected(frame, calendar, 0, reach);
  std::vector<Baseline> baselines;
  for (std::size_t c = 0; c < frame.columns.size(); ++c) {
    Baseline baseline;
    baseline.cleaned = frame.columns[c];
    if (recent) {
      baseline.effect = ColumnOf(expected, c);
      for (std::size_t t = 0; t < frame.size; ++t) baseline.cleaned[t] -= baseline.effect[t];
      baseline.usual = RecentDays(baseline.cleaned, frame.day);
      baseline.repeats = frame.day;
    } else {
      baseline.effect.assign(reach, 0);
      baseline.usual = ColumnOf(expected, c);
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

}  // namespace heliostat::auto_parts
