#include <algorithm>
#include <limits>

#include "heliostat/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// Chase (Yang et al. 2023), equation 6: at the start and at every slot, the limit with the least
//   [eta * power * carbon intensity + (1 - eta) * most power * dirtiest intensity] / throughput.
// Jobs begin at once and are never moved or put off.
class Chase : public QueuePolicy {
 public:
  explicit Chase(double eta) : eta_(eta) {}

 protected:
  std::vector<Setting> WaysFor(const Observation& observation, const JobState& /*job*/,
                               const Choices& choices) override {
    std::vector<Setting> ways;
    for (const std::size_t group : choices.groups())
      ways.push_back(Best(observation, choices, *choices.Default(group)));
    return ways;
  }
  bool Retunes() const override { return true; }
  std::optional<Setting> Retune(const Observation& observation, const JobState& job, const Choices& choices) override {
    return Best(observation, choices, job.setting);
  }

 private:
  // Among settings with as many workers in the same group.
  Setting Best(const Observation& observation, const Choices& choices, const Setting& like) const {
    const int workers = choices.At(like).workers;
    const double now = observation.outlook.CarbonNow().value;
    const double dirtiest = observation.outlook.DirtiestOfDay().value;
    double most_power = 0.0;
    for (const std::size_t p : choices.In(like.group)) {
      const scenario::TrainingPoint& point = choices.At({like.group, p});
      if (point.workers == workers) most_power = std::max(most_power, point.power.value);
    }
    Setting best = like;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t p : choices.In(like.group)) {
      const scenario::TrainingPoint& point = choices.At({like.group, p});
      if (point.workers != workers) continue;
      const double cost = (eta_ * point.power.value * now + (1.0 - eta_) * most_power * dirtiest) / point.samples_per_s;
      if (cost >= least) continue;
      least = cost;
      best = {like.group, p};
    }
    return best;
  }

  double eta_;
};

}  // namespace

Info ChasePolicy() {
  return {"chase", "first come first served, power limits re-chosen every slot by carbon intensity (Chase, eq. 6)",
          [](const Options& options) -> std::unique_ptr<Policy> { return std::make_unique<Chase>(options.eta); }};
}

}  // namespace heliostat::policy
