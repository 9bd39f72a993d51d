#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::loop {

// A world at one moment. Refers to data of the world; valid until the next call of Look(), Apply() or Wait().
struct WorldView {
  Instant now;
  const policy::JobTable& jobs;  // those that are not over, and those that have ended since the last Look()
  std::span<const policy::JobId> arrived;
  std::span<const policy::JobId> ended;
  std::span<const policy::JobId> interrupted;
  std::span<const policy::Receipt> receipts;  // for orders that were pending
  std::span<const policy::ServiceState> services;
  std::span<const policy::GroupState> groups;
  account::Balance spent;  // energy, carbon and cost since the world began
};

// A cluster as the loop sees it: simulated, recorded, shadowed or real. Each world has its own time. Used from one
// thread.
class World {
 public:
  virtual ~World() = default;

  // A new object whenever any of it changes.
  virtual std::shared_ptr<const scenario::Site> site() const = 0;
  virtual policy::Capabilities capabilities() const = 0;
  // Later events do not count.
  virtual Instant horizon() const { return policy::kNoHorizon; }
  virtual Instant now() const = 0;
  // The present state, and the news since the last call.
  virtual WorldView Look() = 0;
  // Carries out the orders that it can, at once or before they expire: stops first, then services, then nodes, then the
  // other jobs in the order given. Adds one receipt per order for a job or a service.
  virtual void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) = 0;
  // Lets time pass until there is news, a slot begins, or `until` is reached. False when the world has ended.
  virtual bool Wait(Instant until) = 0;
};

}  // namespace heliostat::loop
