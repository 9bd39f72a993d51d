#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/loop/world.h"
#include "heliostat/control/policy/policy.h"

namespace heliostat::loop {

// The outlook of a policy that its driver moves through time.
class MovingOutlook : public policy::Outlook {
 public:
  // `slot` holds `now`. Forecasts are issued from there.
  virtual void MoveTo(Instant now, std::size_t slot) = 0;
};

// Hears of every step of a driver: for the decision log, and for tests.
class StepListener {
 public:
  virtual ~StepListener() = default;
  // The decision as the policy gave it, before anything in it is refused or carried out.
  virtual void Stepped(const policy::Observation& observation, const policy::Decision& decision) = 0;
};

// The one loop: look, forecast, ask the policy, refuse what no world may be given, apply, wait. Every policy in every
// world goes through here. Used from one thread.
class Driver {
 public:
  // All outlive the driver. `listener` may be nothing. Without `planning`, plans are made in place.
  Driver(World& world, MovingOutlook& outlook, policy::Policy& policy, StepListener* listener = nullptr,
         policy::Planning* planning = nullptr);

  // Until the world ends.
  void Run();
  // One look and one decision; then call Wait().
  void Step();
  // Until the policy should be asked again. False when the world has come to its end.
  bool Wait();
  // Goes on with another policy, which is shown every job as new: one that was restarted, or was chosen instead.
  void Replace(policy::Policy& policy);

  // Orders that were refused because no world may be given them: a policy's mistakes.
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
  bool is_new_ = true;               // the policy has seen nothing yet
  std::optional<std::size_t> slot_;  // of the last step
  std::optional<Instant> timer_;
  policy::Decision decision_;
  std::vector<policy::JobId> arrived_;
  std::vector<policy::Receipt> shown_;                // to the policy, in this step
  std::vector<policy::Receipt> receipts_;             // of this step's orders
  std::map<policy::JobId, policy::Receipt> pending_;  // orders on jobs that are under way
  policy::OrderId next_order_ = 1;
  std::size_t violations_ = 0;
};

}  // namespace heliostat::loop
