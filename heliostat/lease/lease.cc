#include "heliostat/lease/lease.h"

#include <algorithm>

#include "heliostat/core/names.h"
#include "heliostat/device/describe.h"

namespace heliostat::lease {
namespace {

constexpr auto kStates = NamesOf<State>({{State::kInForce, "in-force"},
                                         {State::kOutdone, "outdone"},
                                         {State::kOverridden, "overridden"},
                                         {State::kWaiting, "waiting"}});
constexpr auto kEnds = NamesOf<End>({{End::kReleased, "released"},
                                     {End::kOwnerDied, "owner-died"},
                                     {End::kExpired, "expired"},
                                     {End::kReboot, "reboot"}});

}  // namespace

std::string_view NameOf(State state) { return kStates.NameOf(state); }

std::string_view NameOf(End end) { return kEnds.NameOf(end); }

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
