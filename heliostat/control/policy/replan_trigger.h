#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// How the plan in force stands.
struct PlanStanding {
  std::size_t jobs = 0;                  // that are not done
  bool has_run_out = false;              // it says nothing about this slot, or about a job that is not done
  std::optional<Seconds> least_slack{};  // of jobs that have just come: how long the tightest could wait
};

// Says when a plan is made again: after news, when the plan has run out, when forecasts have moved, and daily. Plans
// follow each other with a pause, which grows with the number of jobs; only an urgent job or an interrupted one cuts it
// short. Not safe for several threads.
class ReplanTrigger {
 public:
  // Something has happened that the plan in force does not know.
  void TakeNews() { has_news_ = true; }
  // Whether to plan now. Where a plan is due but has to wait, deferred_until() says how long.
  bool IsDue(const Observation& observation, const PlanStanding& standing);
  // A plan is made from this observation: it knows all news.
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

  std::optional<LastPlan> last_;
  bool has_news_ = false;
  bool knows_arrivals_ = false;  // the outlook has said which jobs will come
  std::optional<Instant> deferred_until_;
};

}  // namespace heliostat::policy
