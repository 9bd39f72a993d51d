#include "heliostat/node/training_progress/counters.h"

#include <algorithm>

namespace heliostat::training_progress {

void CounterSpeed::Add(Seconds at, Hertz clock, double utilisation) {
  if (last_ && at > *last_ && full_clock_.value > 0.0) {
    const Seconds since = at - *last_;
    const double activity = std::clamp(utilisation, 0.0, 1.0);
    covered_ += since;
    busy_ += since * activity;
    work_ += since * activity * std::clamp(clock / full_clock_, 0.0, 1.0);
  }
  if (!last_ || at > *last_) last_ = at;
}

std::optional<double> CounterSpeed::relative_speed() const {
  if (covered_ <= Seconds(0)) return std::nullopt;
  return work_ / covered_;
}

std::optional<double> CounterSpeed::mean_utilisation() const {
  if (covered_ <= Seconds(0)) return std::nullopt;
  return busy_ / covered_;
}

}  // namespace heliostat::training_progress
