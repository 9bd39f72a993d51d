#pragma once

#include <optional>
#include <string>
#include <utility>

#include "heliostat/control/cluster/noted_actions.h"
#include "heliostat/control/cluster/testing/actions_stage.h"
#include "heliostat/control/cluster/testing/fake_mechanism.h"

namespace heliostat::cluster::testing {

constexpr Instant kStageBegin{Duration{1'795'020'020}};

// A cluster in memory for the contract of Actions.
class MemoryStage : public ActionsStage {
 public:
  MemoryStage() {
    memory_.nodes.nodes = {{.name = "gpu1", .state = NodeState::kIdle},
                           {.name = "gpu2", .state = NodeState::kIdle, .is_draining = true}};
  }
  ActionMechanism& mechanism() override { return memory_; }
  Instant now() const override { return clock_.Now(); }
  JobKey Submit(const StageJob& job) override {
    JobRecord record{.key = {.number = next_ += 100, .element = {}, .submit = now()}};
    record.state = job.runs ? JobState::kRunning : job.is_held ? JobState::kHeld : JobState::kWaiting;
    record.may_requeue = job.may_requeue;
    record.nice = job.nice;
    record.time_limit = Duration(300);
    if (!job.is_held && !job.has_dependency) record.begin = now();
    if (job.begin) record.begin = now() + *job.begin;
    for (int i = 1; i <= job.elements; ++i) record.elements.push_back(i);
    if (job.elements > 1) record.throttle = job.throttle;
    memory_.records.push_back(record);
    clock_.Advance(std::chrono::seconds(10));
    return record.key;
  }
  void ChangeAsOther(const JobKey& job, const RecordChange& change) override {
    const Rights ours = std::exchange(memory_.rights, Rights{true, true, true, true, "root"});
    (void)memory_.Apply(*memory_.Address(job.number, job.element), change);
    memory_.rights = ours;
  }
  std::string idle_node() const override { return "gpu1"; }
  std::string draining_node() const override { return "gpu2"; }
  void BeSilent() override { memory_.is_silent = true; }
  void Speak() override {
    memory_.is_silent = false;
    clock_.Advance(std::chrono::minutes(2));
  }

  FakeMechanism& memory() { return memory_; }
  ManualClock& clock() { return clock_; }

 private:
  ManualClock clock_{kStageBegin};
  FakeMechanism memory_{clock_};
  std::int64_t next_ = 0;
};

// The fake of Actions.
class NotedStage final : public MemoryStage {
 public:
  Actions& actions() override { return *actions_; }
  void Restart() override { actions_.emplace(memory(), clock()); }

 private:
  std::optional<NotedActions> actions_{std::in_place, memory(), clock()};
};

}  // namespace heliostat::cluster::testing
