#pragma once

#include <algorithm>
#include <memory>

#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy::testing {

// A goal of least carbon that counts its plans.
class CountedGoal : public PlanGoal {
 public:
  explicit CountedGoal(std::shared_ptr<int> plans) : plans_(std::move(plans)) {}
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead,
                         PlanSolver& solver) override {
    ++*plans_;
    return solver.Solve(ahead, {.carbon_kg = 1.0, .energy_kwh = 1e-4});
  }

 private:
  std::shared_ptr<int> plans_;
};

// A rolling policy that counts its plans.
class Counting : public RollingPolicy {
 public:
  explicit Counting(Means means = Means::kAll, bool right_sizing = true)
      : Counting(std::make_shared<int>(0), means, right_sizing) {}
  int plans() const { return *plans_; }

 private:
  Counting(std::shared_ptr<int> plans, Means means, bool right_sizing)
      : RollingPolicy({}, means, right_sizing, scenario::Performance::kThroughput,
                      std::make_unique<CountedGoal>(plans)),
        plans_(std::move(plans)) {}
  std::shared_ptr<int> plans_;
};

// How often the decision starts the job.
inline std::size_t Starts(const Decision& decision, JobId job) {
  return static_cast<std::size_t>(std::count_if(decision.jobs.begin(), decision.jobs.end(), [&](const JobOrder& order) {
    return order.job == job && order.setting.has_value();
  }));
}

}  // namespace heliostat::policy::testing
