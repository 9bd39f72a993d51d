#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/serving/options.h"

namespace heliostat::policy {

// Scales services for policies that do not plan them: at default clocks, the serving option with the least power that
// keeps the latency at the present rate. It also reserves GPUs for the highest rate of the last day. Not thread-safe.
class ServiceScaler {
 public:
  // Adds an order for each service whose need has changed. Call once per decision, before Reserved() and Wanted().
  void Attend(const Observation& observation, Decision& decision);
  // GPUs of a group that jobs should leave free, in addition to Wanted(), for the highest rate of the last day.
  int Reserved(std::size_t group) const { return reserved_[group]; }
  // Replicas that the services need in the group at the present rate.
  int Wanted(std::size_t group) const { return wanted_[group]; }

 private:
  void Look(const Observation& observation);
  // The option with the least power that keeps the latency. When none does, the one with the highest throughput.
  Serving BestFor(const scenario::Service& service, double requests_per_s) const;

  void Follow(const std::shared_ptr<const scenario::Site>& site);

  std::shared_ptr<const scenario::Site> seen_;
  scenario::Site site_;                                                    // with default clocks only
  std::map<std::string, std::vector<std::vector<std::size_t>>> original_;  // by model, [group]: indices in the profile
  std::vector<std::deque<std::pair<Instant, double>>> rates_;  // of the last day, descending: the first is the highest
  std::vector<Serving> best_;                                  // [service], of this slot
  std::vector<int> reserved_;
  std::vector<int> wanted_;
};

}  // namespace heliostat::policy
