#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/account/balance.h"

namespace heliostat::loop {

// A world at one moment. It refers to what the world holds, until the world's next Look(), Apply() or Wait().
struct WorldView {
  Instant now;
  const policy::JobTable& jobs;  // those that live, and those that have ended since the last Look()
  std::span<const policy::JobId> arrived;
  std::span<const policy::JobId> ended;
  std::span<const policy::JobId> interrupted;
  std::span<const policy::Receipt> receipts;  // for orders that were pending
  std::span<const policy::ServiceState> services;
  std::span<const policy::GroupState> groups;
  account::Balance spent;  // since the world began
};

// A cluster as the host of a policy sees it: simulated, recorded, shadowed or real. Time is the world's own. Used from
// one thread.
class World {
 public:
  virtual ~World() = default;

  // Another object when anything in it has changed.
  virtual std::shared_ptr<const scenario::Site> site() const = 0;
  virtual policy::Capabilities capabilities() const = 0;
  // Nothing that happens later counts.
  virtual Instant horizon() const { return policy::kNoHorizon; }
  virtual Instant now() const = 0;
  // How things stand, and the news since the last call.
  virtual WorldView Look() = 0;
  // Carries out what it can, now or before it expires: stops first, then services, then nodes, then jobs in the order
  // given. Adds a receipt for each order on a job or a service.
  virtual void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) = 0;
  // Lets time pass until there is news, a slot begins, or it is `until`. False when the world has come to its end.
  virtual bool Wait(Instant until) = 0;
};

}  // namespace heliostat::loop
