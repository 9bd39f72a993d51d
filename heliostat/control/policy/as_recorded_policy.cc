#include <algorithm>
#include <cmath>

#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/queue_policy.h"

namespace heliostat::policy {
namespace {

// A fraction of a second that comes from rounding does not begin another run.
constexpr double kRoundingS = 0.5;

// The site as it was: each job starts at its recorded time, on its recorded nodes, with default settings, and runs
// until its recorded length is done. A job that was requeued stops between its runs. A job whose GPUs are not free,
// because the record is not consistent or a node wakes, starts when they are. Jobs without a record start at once, as
// under run-now.
class AsRecorded : public QueuePolicy {
 public:
  void Decide(const Observation& observation, Decision& decision) override {
    next_.reset();
    for (const JobId job : observation.arrived) {
      const auto& recorded = observation.jobs[job].asked.recorded;
      if (recorded && recorded->runs.size() > 1) in_parts_.push_back(job);
    }
    QueuePolicy::Decide(observation, decision);
    if (next_) decision.call_again = decision.call_again ? std::min(*decision.call_again, *next_) : *next_;
  }

 protected:
  bool Blocks() const override { return false; }

  std::int64_t KeyOf(const JobState& job) const override {
    const auto& recorded = job.asked.recorded;
    return (recorded ? recorded->runs.front().span.begin : job.asked.submit).time_since_epoch().count();
  }

  std::vector<RunSetting> WaysFor(const Observation& observation, const JobState& job,
                                  const Choices& choices) override {
    if (!job.asked.recorded) return FirstFit(choices);
    const scenario::RecordedRun& run = PresentOf(job, observation.now).run;
    if (run.span.begin > observation.now) {
      CallAt(run.span.begin);
      return {};
    }
    if (!job.asked.recorded->group) return FirstFit(choices);
    const std::size_t group = *job.asked.recorded->group;
    auto way = run.nodes.empty() ? choices.Default(group) : choices.Default(group, GpusOf(run));
    return way ? std::vector{*way} : FirstFit(choices);
  }

  void Complete(const Observation& observation, const JobState& job, JobOrder& order) override {
    if (!job.asked.recorded) return;
    const Present present = PresentOf(job, observation.now);
    order.until = observation.now + present.left;
    order.why = {Reason::Kind::kRecord, order.until};
    const bool is_there = job.asked.recorded->group == order.setting->group;
    if (observation.capabilities.place && is_there) order.nodes = present.run.nodes;
  }

  void StopFirst(const Observation& observation, Decision& decision) override {
    std::erase_if(in_parts_, [&](JobId job) {
      const JobState* state = observation.jobs.Find(job);
      return state == nullptr || IsOver(state->phase);
    });
    for (const JobId job : in_parts_) {
      const JobState& state = observation.jobs[job];
      const Present present = PresentOf(state, observation.now);
      const bool is_due = present.run.span.begin <= observation.now;
      if (is_due && MayStart(state.phase))
        CallAt(observation.now + state.asked.resume + present.left);  // if it starts now
      if (state.phase != Phase::kRunning || !observation.MayStop(state)) continue;
      if (is_due) {
        CallAt(std::max(observation.now, state.since) + present.left);
      } else {
        PutBack(observation, job, {Reason::Kind::kRecord, present.run.span.begin}, decision);
      }
    }
  }

 private:
  // The run that a job is in, or that comes next, and how much of it is left.
  struct Present {
    const scenario::RecordedRun& run;
    Duration left{};
  };
  static Present PresentOf(const JobState& job, Instant now) {
    const std::vector<scenario::RecordedRun>& runs = job.asked.recorded->runs;
    double seconds = 0.0;
    for (const scenario::RecordedRun& run : runs) seconds += Seconds(run.span.length()).count();
    double done = seconds * (1.0 - job.SamplesLeft(now) / job.asked.samples);
    for (std::size_t i = 0;; ++i) {
      const double length = Seconds(runs[i].span.length()).count();
      const double left = std::max(1.0, std::ceil(length - done - kRoundingS));
      if (i + 1 == runs.size() || done + kRoundingS < length)
        return {runs[i], Duration{static_cast<std::int64_t>(left)}};
      done -= length;
    }
  }

  static int GpusOf(const scenario::RecordedRun& run) {
    int gpus = 0;
    for (const NodeShare& share : run.nodes) gpus += share.gpus;
    return gpus;
  }

  void CallAt(Instant time) { next_ = next_ ? std::min(*next_, time) : time; }

  std::optional<Instant> next_;    // when the next run begins or ends
  std::vector<JobId> in_parts_{};  // jobs with several runs
};

}  // namespace

Info AsRecordedPolicy() {
  return {"as-recorded", "starts each job when and where the site did; for scenarios of a site's own records",
          [](const PolicyOptions&) -> std::unique_ptr<Policy> { return std::make_unique<AsRecorded>(); }, false};
}

}  // namespace heliostat::policy
