#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/node/device/setting.h"
#include "heliostat/node/lease/machine.h"

namespace heliostat::lease {

// On whose behalf a knob is turned. With a process, the lease ends when that dies; without one it lives until it is
// released or runs out.
struct Owner {
  uid_t uid = 0;
  std::string user;  // for people; rights go by uid
  std::optional<Process> process;
  std::string job;  // the user's own name for it; may be empty
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct LeaseRequest {
  Owner owner;
  device::Setting wanted;  // not the default: to have that, release
  std::chrono::seconds ttl{0};
};

// How a lease stands.
enum class LeaseState {
  kInForce,     // the card stands where it wants it
  kOutdone,     // another lease on the same knob wants less, and less wins
  kOverridden,  // somebody else turned the knob since; it is theirs now, and left alone
  kWaiting,     // the card cannot be reached or refuses; tried again
};
std::string_view NameOf(LeaseState state);

// Why one ended.
enum class LeaseEnd { kReleased, kOwnerDied, kExpired, kReboot };
std::string_view NameOf(LeaseEnd end);

// A right to have one knob of one GPU at a setting, for a time.
struct Lease {
  std::string id;   // unique on this machine: "6fd2c9e1-17"
  std::string gpu;  // UUID
  Owner owner;
  device::Setting wanted;
  device::Setting previous;  // where the card goes back to
  Instant granted;
  std::chrono::seconds expires{0};  // since boot
  LeaseState state = LeaseState::kInForce;
};

}  // namespace heliostat::lease
