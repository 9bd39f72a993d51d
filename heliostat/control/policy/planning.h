#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "heliostat/base/core/time.h"
#include "heliostat/planning/plan/rounds.h"

namespace heliostat::policy {

// A plan in the making. The loop goes on meanwhile, so nothing that the plan reads may change: it has copies.
class PlanTask {
 public:
  virtual ~PlanTask() = default;
  // Makes the plan in as many rounds as there are. Called once, from any thread.
  virtual void Make(plan::Rounds& rounds) = 0;
};

// Makes plans beside the loop, one at a time. The world's time decides when a plan arrives; what is known of the old
// one is carried out meanwhile. Used from the loop's thread.
class Planning {
 public:
  virtual ~Planning() = default;

  // How long a plan may take, in the world's time.
  virtual Duration time() const = 0;
  // The answer is wanted at `now` + time(). Only when nothing is under way.
  virtual void Begin(std::shared_ptr<PlanTask> task, Instant now) = 0;
  virtual bool IsBusy() const = 0;
  // Whether the plan under way has arrived. Says so once, and is free for another one then.
  virtual bool Take(Instant now) = 0;
  // Forgets the plan under way: it never arrives.
  virtual void Drop() = 0;
  // Of the plan that arrived last.
  virtual int rounds() const = 0;
  // When to ask again; nothing when no plan is under way, or when the world will tell.
  virtual std::optional<Instant> NextArrival(Instant now) const = 0;
};

// Plans take a stated time of the world, and as many rounds as are allowed: what they come to depends on neither the
// machine nor threads. With no time, a plan arrives at the moment that it is begun. Used from one thread.
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
  // Of the plan begun last.
  int rounds() const override { return rounds_; }

 private:
  Duration time_;
  int most_rounds_;
  std::optional<Instant> arrival_;
  int rounds_ = 0;
};

}  // namespace heliostat::policy
