#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "heliostat/base/core/time.h"
#include "heliostat/planning/plan/rounds.h"

namespace heliostat::policy {

// A plan to be made. The loop continues meanwhile, so the task must own copies of all that it reads. One
// thread runs it, once.
class PlanTask {
 public:
  virtual ~PlanTask() = default;
  // Makes the plan in at most the given rounds. Called once, from any thread.
  virtual void Make(plan::Rounds& rounds) = 0;
};

// Makes plans while the loop continues, one at a time. A plan arrives at a time of the world; until then the policy
// carries out the last plan. Used from one thread, the loop's.
class Planning {
 public:
  virtual ~Planning() = default;

  // How long a plan may take, in the time of the world.
  virtual Duration time() const = 0;
  // Begins a plan that is due at `now` + time(); it may arrive earlier or later. Call only when no plan is under way.
  virtual void Begin(std::shared_ptr<PlanTask> task, Instant now) = 0;
  virtual bool IsBusy() const = 0;
  // Whether the plan under way has arrived. Returns true once per plan; another plan may begin after that.
  virtual bool Take(Instant now) = 0;
  // Drops the plan under way, if any: it never arrives.
  virtual void Drop() = 0;
  // Rounds that the plan which arrived last has taken.
  virtual int rounds() const = 0;
  // When to call Take() again. Nothing when no plan is under way, or when the world's own steps include the arrival.
  virtual std::optional<Instant> NextArrival(Instant now) const = 0;
};

// Begin() makes the plan in place; it arrives a fixed time later, in the time of the world. The number of rounds is
// limited, not the time, so plans do not depend on the machine or on threads. With a time of 0, a plan arrives at the
// moment at which it begins. Used from one thread.
class TimedPlanning : public Planning {
 public:
  explicit TimedPlanning(Duration time = {}, int most_rounds = std::numeric_limits<int>::max())
      : time_(time), most_rounds_(most_rounds) {}

  Duration time() const override { return time_; }
  void Begin(std::shared_ptr<PlanTask> task, Instant now) override;
  bool IsBusy() const override { return arrival_.has_value(); }
  bool Take(Instant now) override;
  void Drop() override { arrival_.reset(); }
  std::optional<Instant> NextArrival(Instant /*now*/) const override { return arrival_; }
  // Rounds that the plan begun last has taken.
  int rounds() const override { return rounds_; }

 private:
  Duration time_;
  int most_rounds_;
  std::optional<Instant> arrival_;
  int rounds_ = 0;
};

}  // namespace heliostat::policy
