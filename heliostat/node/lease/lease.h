#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/node/device/setting.h"
#include "heliostat/node/lease/machine.h"

namespace heliostat::lease {

// The user, and perhaps the process, that a lease belongs to. With a process, the lease ends when that process dies;
// without one, it ends when it is released or expires.
struct Owner {
  uid_t uid = 0;
  std::string user;  // for display; rights depend on the uid
  std::optional<Process> process;
  std::string job;  // a name that the user gives; may be empty
  friend bool operator==(const Owner&, const Owner&) = default;
};

// What GpuLeases::Take() is asked for.
struct LeaseRequest {
  Owner owner;
  device::Setting wanted;       // not the default: release the lease for that
  std::chrono::seconds ttl{0};  // at least 1 s
};

// The state of a lease that has not ended.
enum class LeaseState {
  kInForce,     // the card stands at its setting
  kOutdone,     // another lease on the same knob has a lower setting, and the lowest wins
  kOverridden,  // another program turned the knob since; the knob is left alone
  kWaiting,     // the card cannot be reached or refuses; tried again
};
std::string_view NameOf(LeaseState state);

// Why a lease ended.
enum class LeaseEnd { kReleased, kOwnerDied, kExpired, kReboot };
std::string_view NameOf(LeaseEnd end);

// A right to one setting of one GPU for a time.
struct Lease {
  std::string id;   // unique on this machine: "6fd2c9e1-17"
  std::string gpu;  // UUID
  Owner owner;
  device::Setting wanted;
  device::Setting previous;  // the base: where the knob goes back to
  Instant granted;
  std::chrono::seconds expires{0};  // since boot
  LeaseState state = LeaseState::kInForce;
};

}  // namespace heliostat::lease
