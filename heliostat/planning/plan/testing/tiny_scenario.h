#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::plan::testing {

inline int Between(int low, int high, RandomStream& random) {  // low .. high
  return low + static_cast<int>(random.Below(static_cast<std::uint64_t>(high - low + 1)));
}

// A job whose window begins at any minute. Its work is `load` of what its workers could do at most.
inline scenario::Job AnyJob(const scenario::Scenario& s, std::string id, double load, RandomStream& random) {
  const double hours = static_cast<double>(s.slots);
  const double submit = random.Chance(0.5) ? 0.0 : Between(0, static_cast<int>(hours * 45.0), random) / 60.0;
  const double window = std::max(0.5, random.Uniform() * (hours - submit));
  scenario::Job job = JobOf(std::move(id), submit, std::min(hours, submit + window), 0.0);
  job.max_workers = 1 << Between(0, 2, random);
  job.min_workers = random.Chance(0.3) ? job.max_workers : 1;
  job.samples = std::max(600.0, random.Uniform() * load * window * 3600.0 * 9.0 * job.max_workers);
  job.resume = Duration{random.Chance(0.3) ? 0 : Between(1, 300, random)};
  job.preemptible = random.Chance(0.7);
  job.weight = static_cast<double>(Between(1, 3, random));
  job.owner = random.Chance(0.5) ? "ann" : "bob";
  if (random.Chance(0.1)) job.deadline.reset();
  return job;
}

// A few hours of two small groups with up to four jobs of all kinds and sometimes a service. With a `load` of 0.5,
// nearly every deadline can be kept; with 1.5 often not.
inline scenario::Scenario TinyScenario(double load, RandomStream& random) {
  scenario::Scenario s = IdleCluster();
  s.groups[0].nodes = Between(1, 3, random);
  s.groups[1].nodes = Between(1, 2, random);
  for (scenario::Group& group : s.groups) group.wake_time = Duration{Between(0, 10, random) * 60};
  for (std::size_t t = 0; t < s.slots; ++t) {
    s.carbon[t] = GramsPerKwh(Between(20, 600, random));
    s.renewable[t] = Kilowatts(random.Chance(0.5) ? 0.0 : random.Uniform(0.0, 4.0));
    s.price_per_kwh[t] = 0.01 * Between(1, 40, random);
  }
  const int jobs = Between(1, 4, random);
  for (int i = 0; i < jobs; ++i) s.jobs.push_back(AnyJob(s, std::to_string(i), load, random));
  if (random.Chance(0.3)) {
    s.services = {ServiceOf("front", {})};
    for (std::size_t t = 0; t < s.slots; ++t) s.services[0].requests_per_s.push_back(Between(0, 90, random));
  }
  return s;
}

}  // namespace heliostat::plan::testing
