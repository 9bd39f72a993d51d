#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat::munge_channel {

// How this machine's MUNGE is reached: its commands, which are the same in all of its releases.
struct MungeCommands {
  std::string munge = "munge";
  std::string unmunge = "unmunge";
  std::string socket;                    // of munged; empty: the one that is built into the commands
  std::chrono::milliseconds time{5000};  // of one command
};

// What a credential says, and MUNGE vouches for.
struct Decoded {
  uid_t uid = 0;  // of the process that made it
  gid_t gid = 0;  // its primary group
  // From making to reading, by the clocks of both machines; negative when they disagree.
  std::chrono::seconds age{0};
  std::string payload;
};

// The longest payload that is encoded: MUNGE refuses messages of more than 1 MiB.
inline constexpr std::size_t kMostPayloadBytes = std::size_t{512} * 1024;

// A credential of this process's user, on one line. Only `reader` can decode it, not even root. kUnavailable when
// munged does not answer in time, kNotFound when the command is not installed. Waits for the command. Thread-safe.
Result<std::string> Encode(const MungeCommands& commands, std::string_view payload, uid_t reader);

// Fails also with kPermissionDenied for what is no valid credential: made with another key, expired, decoded before on
// this machine, or meant for another reader. Waits for the command. Thread-safe.
Result<Decoded> Decode(const MungeCommands& commands, std::string_view credential);

}  // namespace heliostat::munge_channel
