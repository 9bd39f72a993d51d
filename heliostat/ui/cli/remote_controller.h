#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/munge_channel/munge_client.h"

namespace heliostat::cli {

// Reads "[USER@]HOST[:PORT]", the address of a heliostatctld on another host. USER is the name or number of the user
// that it runs as; `heliostat` when it is not given. `where`: of errors.
Result<munge_channel::MungePeer> ParseRemoteController(const std::string& text, const std::string& where);

// Sends one request line and returns the line that answers it. HELIOSTAT_MUNGE_SOCKET names the socket of munged.
Result<std::string> AskRemoteController(const munge_channel::MungePeer& peer, const std::string& line,
                                        const Environment& environment);

}  // namespace heliostat::cli
