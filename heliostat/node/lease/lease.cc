#include "heliostat/node/lease/lease.h"

#include "heliostat/base/core/names.h"

namespace heliostat::lease {
namespace {

constexpr auto kStates = NamesOf<LeaseState>({{LeaseState::kInForce, "in-force"},
                                              {LeaseState::kOutdone, "outdone"},
                                              {LeaseState::kOverridden, "overridden"},
                                              {LeaseState::kWaiting, "waiting"}});
constexpr auto kEnds = NamesOf<LeaseEnd>({{LeaseEnd::kReleased, "released"},
                                          {LeaseEnd::kOwnerDied, "owner-died"},
                                          {LeaseEnd::kExpired, "expired"},
                                          {LeaseEnd::kReboot, "reboot"}});

}  // namespace

std::string_view NameOf(LeaseState state) { return kStates.NameOf(state); }

std::string_view NameOf(LeaseEnd end) { return kEnds.NameOf(end); }

}  // namespace heliostat::lease
