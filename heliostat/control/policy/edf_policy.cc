#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// Earliest deadline first, at default settings; jobs without one come last. Jobs may overtake one that does not fit.
class Edf : public QueuePolicy {
 protected:
  std::int64_t KeyOf(const JobState& job) const override { return DeadlineOf(job); }
  bool Blocks() const override { return false; }
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    return FastestFirst(choices);
  }
};

}  // namespace

Info EdfPolicy() {
  return {"edf", "earliest deadline first, default settings",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<Edf>(); }};
}

}  // namespace heliostat::policy
