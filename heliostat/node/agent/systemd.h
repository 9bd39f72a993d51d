#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"

namespace heliostat::agent {

// Tells systemd how the agent is, over the socket that NOTIFY_SOCKET names. Does nothing where there is none.
class Notifier {
 public:
  explicit Notifier(const Environment& environment);

  // "READY=1", "STOPPING=1", "WATCHDOG=1".
  void Send(std::string_view message) const;
  // Whether systemd wants to hear "WATCHDOG=1" from time to time.
  bool is_watched() const { return is_watched_; }

 private:
  std::string socket_;
  bool is_watched_ = false;
};

// The listening socket that systemd opened for this process; nothing when it opened none.
std::optional<int> ActivatedSocket(const Environment& environment);

}  // namespace heliostat::agent
