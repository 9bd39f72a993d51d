#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/loop/world.h"
#include "heliostat/control/policy/policy.h"

namespace heliostat::loop {

// An outlook that the driver moves through time. Not thread-safe.
class MovingOutlook : public policy::Outlook {
 public:
  // Sets the present time; `slot` is the slot of `now`. Later calls of Ahead() issue forecasts from it.
  virtual void MoveTo(Instant now, std::size_t slot) = 0;
};

// Receives every step of a driver. The decision log and tests use it. Called from the driver's thread.
class StepListener {
 public:
  virtual ~StepListener() = default;
  // Called after each decision, before the driver refuses or applies any of it. Orders have their ids already.
  virtual void Stepped(const policy::Observation& observation, const policy::Decision& decision) = 0;
};

// The loop: look at the world, ask the policy, refuse violations, apply the rest, wait. Every policy runs in every
// world through this class. Used from one thread.
class Driver {
 public:
  // All arguments must outlive the driver. `listener` may be null. Without `planning`, the policy makes plans in place.
  Driver(World& world, MovingOutlook& outlook, policy::Policy& policy, StepListener* listener = nullptr,
         policy::Planning* planning = nullptr);

  // From the next step on. Null: none.
  void ListenWith(StepListener* listener) { listener_ = listener; }
  // Repeats Step() and Wait() until the world ends.
  void Run();
  // Looks at the world, asks the policy once and applies its orders. Call Wait() before the next step.
  void Step();
  // Waits until the next step is due: news, the start of a slot, the policy's timer or the arrival of a plan. False
  // when the world has ended.
  bool Wait();
  // Continues with another policy, which sees every job as new, for example after a restart. Drops the plan under way.
  void Replace(policy::Policy& policy);

  // Number of violations so far: orders that break the rules for policies. See Violations().
  std::size_t violations() const { return violations_; }

 private:
  void Number(policy::Decision& decision);
  void TakeNews(const WorldView& view);
  void RefuseViolations(const policy::Observation& observation);
  void HoldPending();
  void KeepReceipts();

  World& world_;
  MovingOutlook& outlook_;
  policy::Policy* policy_;
  StepListener* listener_;
  policy::TimedPlanning in_place_;
  policy::Planning& planning_;
  bool is_new_ = true;               // the policy has not been called yet
  std::optional<std::size_t> slot_;  // of the last step
  std::optional<Instant> timer_;
  policy::Decision decision_;
  std::vector<policy::JobId> arrived_;
  std::vector<policy::Receipt> shown_;                // receipts for the policy, in this step
  std::vector<policy::Receipt> receipts_;             // for orders of this step; the policy sees them in the next
  std::map<policy::JobId, policy::Receipt> pending_;  // orders for jobs that are under way
  policy::OrderId next_order_ = 1;
  std::size_t violations_ = 0;
};

}  // namespace heliostat::loop
