#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// The state of the plan in force.
struct PlanStanding {
  std::size_t jobs = 0;                  // number of jobs that are not done
  bool has_run_out = false;              // it does not cover this slot, or a job that is not done
  std::optional<Seconds> least_slack{};  // of the jobs that have just arrived
};

// Decides when to plan again: after news, when the plan has run out, when forecasts have moved, and daily. There is a
// pause between two plans, which grows with the number of jobs. Only an urgent or an interrupted job ends it early. Not
// thread-safe.
class ReplanTrigger {
 public:
  // With `at_once`, there is no pause.
  explicit ReplanTrigger(bool at_once = false) : at_once_(at_once) {}

  // Records that something has happened which the plan in force does not include.
  void TakeNews() { has_news_ = true; }
  // Whether to plan now. When a plan is due but the pause is not over, it returns false and sets deferred_until().
  bool IsDue(const Observation& observation, const PlanStanding& standing);
  // Records that a plan is made from this observation; it includes all news so far.
  void Reset(const Observation& observation);
  std::optional<Instant> deferred_until() const { return deferred_until_; }

 private:
  // The signals that a plan is made from, one value per slot.
  struct Signals {
    explicit Signals(const Forecast& forecast);
    std::vector<double> carbon_g_per_kwh;
    std::vector<double> renewable_w;
    std::vector<double> price_per_kwh;  // zeros without prices
  };
  struct LastPlan {
    Instant at;
    std::size_t slot = 0;
    Signals signals;
  };
  bool IsStale(const Observation& observation, const PlanStanding& standing) const;
  bool ForecastMoved(const Observation& observation) const;

  bool at_once_;
  std::optional<LastPlan> last_;
  bool has_news_ = false;
  bool knows_arrivals_ = false;  // the outlook has listed jobs that will arrive
  std::optional<Instant> deferred_until_;
};

}  // namespace heliostat::policy
