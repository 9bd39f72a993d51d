#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::controller {

// What a constant power emits and costs, by time: the expected values of a forecast. A run that ends after it is
// measured with its mean. On-site energy is left out: who gets it depends on all other jobs.
class SlotCosts {
 public:
  SlotCosts() = default;
  SlotCosts(const policy::Forecast& forecast, Instant begin, Duration step, double pue);

  struct Cost {
    Grams carbon;
    double cost = 0.0;
  };
  bool is_known() const { return !carbon_.empty(); }
  // Of a run with this IT power.
  Cost Of(const Interval& span, Watts power) const;
  // The lowest and highest carbon of this energy at any time of the forecast.
  struct Bounds {
    Cost low;
    Cost high;
  };
  Bounds Within(Joules it) const;
  // The start from `earliest` to `latest` with the least carbon or, where all have the same, the least cost. The
  // earliest among equals. It is `earliest` or the begin of a slot, or ends with one.
  Instant BestStart(Instant earliest, Instant latest, Duration length) const;

 private:
  struct Rate {
    double carbon = 0.0;  // g per J
    double cost = 0.0;    // per J
  };
  Rate Integral(Instant until) const;  // over time from begin_: per W

  Instant begin_;
  Duration step_{900};
  double pue_ = 1.0;
  std::vector<double> carbon_;  // [slot]: g per J, integrated until its begin; one more for the end
  std::vector<double> cost_;
  Rate mean_;
};

}  // namespace heliostat::controller
