#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// After Zeus (You et al., NSDI 2023) with all weight on energy: each job runs at the limit with the least energy per
// sample. The limit does not depend on the grid.
class Zeus : public QueuePolicy {
 protected:
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    std::vector<RunSetting> ways;
    for (const std::size_t group : choices.groups()) ways.push_back(*choices.Thriftiest(group));
    return ways;
  }
};

}  // namespace

Info ZeusPolicy() {
  return {"zeus", "first come first served, each job at its energy-optimal limit, carbon-blind",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<Zeus>(); }};
}

}  // namespace heliostat::policy
