#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/serving/options.h"

namespace heliostat::policy {

// Minds services for policies that have no plan for them: at default clocks, as many replicas as keep the latency at
// the present rate, and GPUs kept free for the busiest hour of the last day.
class ServiceScaler {
 public:
  // Orders for all services whose need has changed. Call once a decision.
  void Attend(const Observation& observation, Decision& decision);
  // GPUs of a group that jobs should leave alone, beside those in use: ordered now, or needed at a busy hour.
  int Reserved(std::size_t group) const { return reserved_[group]; }
  // Replicas ordered in the group by the last call.
  int Wanted(std::size_t group) const { return wanted_[group]; }

 private:
  void Look(const Observation& observation);
  // The way that needs least power; when none keeps the latency, the one that comes closest to keeping up.
  Serving BestFor(const scenario::Service& service, double requests_per_s) const;

  void Follow(const std::shared_ptr<const scenario::Site>& site);

  std::shared_ptr<const scenario::Site> seen_;
  scenario::Site site_;                                                    // with default clocks alone
  std::map<std::string, std::vector<std::vector<std::size_t>>> original_;  // by model, [group]: indices in the profile
  std::vector<std::deque<std::pair<Instant, double>>> rates_;  // of the last day, falling: the first is the highest
  std::vector<Serving> best_;                                  // [service], of this slot
  std::vector<int> reserved_;
  std::vector<int> wanted_;
};

}  // namespace heliostat::policy
