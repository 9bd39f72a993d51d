#pragma once

#include <functional>
#include <map>
#include <vector>

#include "heliostat/node/lease/machine.h"
#include "heliostat/node/local_socket/poller.h"

namespace heliostat::agent {

// Notices at once, through pidfds, when a process that owns leases ends, instead of at the next sample. Not
// thread-safe.
class OwnerWatch {
 public:
  // Calls `died` once per process that ends. `poller` and `machine` must outlive the watch.
  OwnerWatch(local_socket::Poller& poller, const lease::Machine& machine, std::function<void()> died)
      : poller_(poller), machine_(machine), died_(std::move(died)) {}
  OwnerWatch(const OwnerWatch&) = delete;
  OwnerWatch& operator=(const OwnerWatch&) = delete;
  ~OwnerWatch();

  // Watches exactly these processes from now on.
  void Watch(const std::vector<lease::Process>& owners);

 private:
  struct Watched {
    int fd = -1;  // -1: it has ended, or cannot be watched; then samples notice its end
    local_socket::Poller::Key key = 0;
  };
  struct Earlier {
    bool operator()(const lease::Process& a, const lease::Process& b) const {
      return a.pid != b.pid ? a.pid < b.pid : a.start_ticks < b.start_ticks;
    }
  };

  Watched Open(const lease::Process& owner);
  void Close(Watched& watched);

  local_socket::Poller& poller_;
  const lease::Machine& machine_;
  std::function<void()> died_;
  std::map<lease::Process, Watched, Earlier> watched_;
};

}  // namespace heliostat::agent
