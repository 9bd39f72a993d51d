#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/munge_channel/munge_commands.h"
#include "heliostat/node/munge_channel/tcp.h"

namespace heliostat::munge_channel {

// A MungeServer as its askers know it.
struct MungePeer {
  HostPort address;  // its host has to be one of the server's names
  std::string service;
  uid_t uid = 0;  // whom alone it may run as: only that user can read a request, and an answer of another is refused
};

// Sends one request, made `now`, and returns its answer, which the peer's user made for it. kUnavailable when no whole
// answer comes within `limit`, kPermissionDenied when the server refuses or another user answers. Waits.
Result<std::string> AskByMunge(const MungeCommands& commands, const MungePeer& peer, std::string_view request,
                               Instant now, std::chrono::milliseconds limit);

}  // namespace heliostat::munge_channel
