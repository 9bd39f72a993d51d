#include <algorithm>
#include <limits>

#include "heliostat/control/policy/queue_policy.h"
#include "heliostat/node/level_control/choose.h"

namespace heliostat::policy {
namespace {

// Chase: at the start of a job and of every slot, chooses the power limit with the least cost by equation 6
// (level_control::EtaCost), with carbon as the cost of energy. It never moves or delays jobs. Jobs start by deadline.
// It does not slow jobs down while others wait for GPUs, nor a job that would be late.
class Chase : public QueuePolicy {
 public:
  explicit Chase(double eta) : eta_(eta) {}

 protected:
  std::int64_t KeyOf(const JobState& job) const override { return DeadlineOf(job); }
  bool Blocks() const override { return false; }
  std::vector<RunSetting> WaysFor(const Observation& observation, const JobState& job,
                                  const Choices& choices) override {
    std::vector<RunSetting> ways;
    for (const std::size_t group : choices.groups()) {
      ways.push_back(Best(observation, job, choices, *choices.Default(group)));
    }
    return ways;
  }
  bool Retunes() const override { return true; }
  std::optional<RunSetting> Retune(const Observation& observation, const JobState& job,
                                   const Choices& choices) override {
    return Best(observation, job, choices, job.setting);
  }

 private:
  // The best setting in the group of `like` with as many workers.
  RunSetting Best(const Observation& observation, const JobState& job, const Choices& choices,
                  const RunSetting& like) const {
    const int workers = choices.At(like).workers;
    const auto fastest = choices.Default(like.group, workers);
    if (fastest && IsCrowded()) return *fastest;
    const double now = observation.outlook.CarbonNow().value;
    level_control::EtaCost cost{eta_, Watts{}, observation.outlook.DirtiestOfDay().value};
    for (const std::size_t p : choices.In(like.group)) {
      const scenario::TrainingPoint& point = choices.At({like.group, p});
      if (point.workers == workers) cost.most_power = std::max(cost.most_power, point.power);
    }
    RunSetting best = fastest.value_or(like);
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t p : choices.In(like.group)) {
      const scenario::TrainingPoint& point = choices.At({like.group, p});
      if (point.workers != workers || WouldBeLate(observation, job, point)) continue;
      const double mine = cost.At(point.samples_per_s, point.power, now);
      if (mine >= least) continue;
      least = mine;
      best = {like.group, p};
    }
    return best;
  }

  static bool WouldBeLate(const Observation& observation, const JobState& job, const scenario::TrainingPoint& point) {
    if (!job.asked.deadline) return false;
    const Seconds left{job.SamplesLeft(observation.now) / point.samples_per_s};
    return observation.now + std::chrono::ceil<Duration>(left + Seconds(job.asked.resume)) > *job.asked.deadline;
  }

  double eta_;
};

}  // namespace

Info ChasePolicy() {
  return {"chase", "earliest deadline first, power limits chosen again every slot by carbon intensity (Chase, eq. 6)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<Chase>(options.eta); }};
}

}  // namespace heliostat::policy
