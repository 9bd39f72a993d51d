#include "heliostat/signals/signal/climatology.h"

#include <algorithm>

namespace heliostat::signal {
namespace {

constexpr Duration kDay{86400};
constexpr Duration kWeek{7 * 86400};

struct RunningMean {
  double sum = 0;
  double count = 0;
  void Add(double value) {
    sum += value;
    count += 1;
  }
  double value() const { return sum / count; }
};

}  // namespace

std::size_t Climatology::SlotOf(Instant t) const {
  const auto into_week = t.time_since_epoch() % kWeek;
  return static_cast<std::size_t>((into_week.count() < 0 ? into_week + kWeek : into_week) / step_);
}

Result<Climatology> Climatology::FromHistory(const StepSeries& history) {
  if (history.missing() == history.size()) {
    return Fail(ErrorCode::kNotFound, "climatology", "the history has no known value", "at least one is needed");
  }
  Climatology typical(std::min(history.step(), kDay));
  const auto slots_a_day = static_cast<std::size_t>((kDay + typical.step_ - Duration{1}) / typical.step_);
  const auto slots_a_week = static_cast<std::size_t>((kWeek + typical.step_ - Duration{1}) / typical.step_);
  std::vector<RunningMean> week(slots_a_week);
  std::vector<RunningMean> day(slots_a_day);
  RunningMean all;
  const auto day_slot = [&](std::size_t week_slot) {
    return static_cast<std::size_t>(((static_cast<std::int64_t>(week_slot) * typical.step_) % kDay) / typical.step_);
  };
  for (std::size_t i = 0; i < history.size(); ++i) {
    const double value = history.values()[i];
    if (IsMissing(value)) continue;
    const std::size_t slot = typical.SlotOf(history.TimeOf(i));
    week[slot].Add(value);
    day[day_slot(slot)].Add(value);
    all.Add(value);
  }
  for (std::size_t slot = 0; slot < slots_a_week; ++slot) {
    const RunningMean& of_day = day[day_slot(slot)];
    typical.by_slot_of_week_.push_back(week[slot].count > 0 ? week[slot].value()
                                       : of_day.count > 0   ? of_day.value()
                                                            : all.value());
  }
  return typical;
}

double Climatology::At(Instant t) const { return by_slot_of_week_[SlotOf(t)]; }

Result<StepSeries> Climatology::Over(Instant start, std::size_t count) const {
  std::vector<double> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(At(start + step_ * static_cast<std::int64_t>(i)));
  return StepSeries::Make(start, step_, std::move(values));
}

}  // namespace heliostat::signal
