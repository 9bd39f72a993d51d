#include <algorithm>

#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// First come, first served, on the GPUs that need least energy for the job at default settings; blind to price.
class LeastEnergy : public QueuePolicy {
 protected:
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    std::vector<RunSetting> ways = FastestFirst(choices);
    std::stable_sort(ways.begin(), ways.end(), [&choices](const RunSetting& a, const RunSetting& b) {
      const scenario::TrainingPoint& first = choices.At(a);
      const scenario::TrainingPoint& second = choices.At(b);
      return first.power.value / first.samples_per_s < second.power.value / second.samples_per_s;
    });
    return ways;
  }
};

}  // namespace

Info LeastEnergyPolicy() {
  return {"least-energy", "first come first served, on the GPUs that need least energy for the job",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<LeastEnergy>(); }, false};
}

}  // namespace heliostat::policy
