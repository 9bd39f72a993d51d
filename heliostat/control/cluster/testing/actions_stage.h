#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/control/cluster/action_mechanism.h"
#include "heliostat/control/cluster/actions.h"

namespace heliostat::cluster::testing {

// A job for a stage. Without `runs` it waits for GPUs that another job keeps.
struct StageJob {
  bool runs = false;
  bool is_held = false;
  bool has_dependency = false;
  bool may_requeue = true;
  std::optional<Duration> begin;  // from now
  int nice = 0;
  int elements = 0;  // of an array from 1 on; 0: none
  int throttle = 0;
};

// A cluster with one node that idles and one that drains.
class ActionsStage {
 public:
  virtual ~ActionsStage() = default;
  virtual Actions& actions() = 0;
  // Another object takes over, as after a crash of ours.
  virtual void Restart() = 0;
  virtual ActionMechanism& mechanism() = 0;
  virtual Instant now() const = 0;
  virtual JobKey Submit(const StageJob& job) = 0;
  // Another makes a change at the record.
  virtual void ChangeAsOther(const JobKey& job, const RecordChange& change) = 0;
  virtual std::string idle_node() const = 0;
  virtual std::string draining_node() const = 0;
  virtual void BeSilent() = 0;
  virtual void Speak() = 0;
};

using ActionsStageFactory = std::function<std::unique_ptr<ActionsStage>()>;

}  // namespace heliostat::cluster::testing
