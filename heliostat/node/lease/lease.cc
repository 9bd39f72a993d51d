#include "heliostat/node/lease/lease.h"

#include "heliostat/base/core/names.h"

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

}  // namespace heliostat::lease
