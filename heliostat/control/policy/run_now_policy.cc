#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// The baseline, as most clusters do: first come, first served, the most workers, default settings, every node on.
class RunNow : public QueuePolicy {
 protected:
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    return FirstFit(choices);
  }
};

}  // namespace

Info RunNowPolicy() {
  return {"run-now", "first come first served, default settings",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<RunNow>(); }};
}

}  // namespace heliostat::policy
