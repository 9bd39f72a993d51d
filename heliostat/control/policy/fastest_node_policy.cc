#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// First come, first served, on the fastest GPUs that are free. The baseline that CE-DLA calls performance alone.
class FastestNode : public QueuePolicy {
 protected:
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    return FastestFirst(choices);
  }
};

}  // namespace

Info FastestNodePolicy() {
  return {"fastest-node", "first come first served, on the fastest GPUs that are free",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<FastestNode>(); }, false};
}

}  // namespace heliostat::policy
