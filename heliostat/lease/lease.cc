#include "heliostat/lease/lease.h"

#include <algorithm>

#include "heliostat/device/describe.h"

namespace heliostat::lease {

std::string_view NameOf(State state) {
  switch (state) {
    case State::kInForce:
      return "in-force";
    case State::kOutdone:
      return "outdone";
    case State::kOverridden:
      return "overridden";
    case State::kWaiting:
      break;
  }
  return "waiting";
}

std::string_view NameOf(End end) {
  switch (end) {
    case End::kReleased:
      return "released";
    case End::kOwnerDied:
      return "owner-died";
    case End::kExpired:
      return "expired";
    case End::kReboot:
      break;
  }
  return "reboot";
}

io::Json Describe(const Lease& lease, std::chrono::seconds since_boot) {
  io::Json owner;
  owner.Set("uid", static_cast<std::int64_t>(lease.owner.uid)).Set("user", lease.owner.user);
  owner.Set("pid", lease.owner.process ? io::Json(lease.owner.process->pid) : io::Json());
  owner.Set("job", lease.owner.job);
  io::Json json;
  json.Set("id", lease.id).Set("gpu", lease.gpu).Set("owner", std::move(owner));
  json.Set("wanted", device::Describe(lease.wanted)).Set("previous", device::Describe(lease.previous));
  json.Set("granted", FormatInstant(lease.granted));
  json.Set("expires_in_s", std::max<std::int64_t>(0, (lease.expires - since_boot).count()));
  return json.Set("state", NameOf(lease.state));
}

}  // namespace heliostat::lease
