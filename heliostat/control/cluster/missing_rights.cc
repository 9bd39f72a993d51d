#include "heliostat/control/cluster/missing_rights.h"

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/core/names.h"

namespace heliostat::cluster {
namespace {

constexpr auto kNames = NamesOf<Right>({{Right::kJobs, "change jobs"},
                                        {Right::kNegativeNice, "give a job a nice below zero"},
                                        {Right::kNodes, "power nodes down and up"},
                                        {Right::kReservations, "make reservations"}});

}  // namespace

std::string_view NameOf(Right right) { return kNames.NameOf(right); }

void MissingRights::Add(Right right, std::string_view words) {
  rights_.insert(right);
  if (!told_.insert(right).second) return;
  Log(LogLevel::kWarning, "our account may not {} ({}); it is left out", NameOf(right), Printable(words));
}

}  // namespace heliostat::cluster
