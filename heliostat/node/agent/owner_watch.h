#pragma once

#include <functional>
#include <map>
#include <vector>

#include "heliostat/node/agent/poller.h"
#include "heliostat/node/lease/machine.h"

namespace heliostat::agent {

// Hears at once when a process that owns leases ends (pidfd), rather than at the next sample. Not thread-safe.
class OwnerWatch {
 public:
  // `died` is called once for each. The others outlive the watch.
  OwnerWatch(Poller& poller, const lease::Machine& machine, std::function<void()> died)
      : poller_(poller), machine_(machine), died_(std::move(died)) {}
  OwnerWatch(const OwnerWatch&) = delete;
  OwnerWatch& operator=(const OwnerWatch&) = delete;
  ~OwnerWatch();

  // These, and no others, from now on.
  void Watch(const std::vector<lease::Process>& owners);

 private:
  struct Eye {
    int fd = -1;  // -1: it died, or cannot be watched; samples notice it later
    Poller::Key key = 0;
  };
  struct Earlier {
    bool operator()(const lease::Process& a, const lease::Process& b) const {
      return a.pid != b.pid ? a.pid < b.pid : a.start_ticks < b.start_ticks;
    }
  };

  Eye Open(const lease::Process& owner);
  void Close(Eye& eye);

  Poller& poller_;
  const lease::Machine& machine_;
  std::function<void()> died_;
  std::map<lease::Process, Eye, Earlier> eyes_;
};

}  // namespace heliostat::agent
