#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"

namespace heliostat::local_socket {

// Reports the state of a daemon to systemd, over the socket that NOTIFY_SOCKET names; without one it does nothing.
// Thread-safe.
class Notifier {
 public:
  explicit Notifier(const Environment& environment);

  // `message`: "READY=1", "STOPPING=1" or "WATCHDOG=1". Failures are ignored.
  void Send(std::string_view message) const;
  // True when systemd expects regular "WATCHDOG=1" messages.
  bool is_watched() const { return is_watched_; }

 private:
  std::string socket_;
  bool is_watched_ = false;
};

// The descriptor of the listening Unix socket that systemd opened for this process; absent when it opened none.
std::optional<int> ActivatedSocket(const Environment& environment);

}  // namespace heliostat::local_socket
