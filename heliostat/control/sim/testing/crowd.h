#pragma once

#include <array>
#include <string>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim::testing {

// A kind of cluster with more tight work than it can hold.
struct Crowd {
  const char* name;
  double load;
  double slack;  // see scenario::Shape
  int gpus;
  std::size_t groups;
  std::size_t services;
  double in_one_piece;  // share of jobs that cannot stop
  double best_effort;   // share of jobs without a deadline
  double rush;          // share of jobs that arrive within two hours of the horizon
  bool weighed;         // jobs have weights from 1 to 10 and four owners
};

inline constexpr std::array<Crowd, 10> kCrowds{{
    {"a little too much", 0.9, 2.0, 64, 1, 0, 0.1, 0.0, 0.0, false},
    {"far too much", 1.6, 2.0, 64, 1, 0, 0.1, 0.0, 0.0, false},
    {"tight deadlines", 0.8, 1.3, 64, 1, 0, 0.1, 0.0, 0.0, false},
    {"a rush", 0.6, 2.0, 64, 1, 0, 0.1, 0.0, 0.5, false},
    {"in one piece", 1.1, 2.0, 64, 1, 0, 0.8, 0.0, 0.0, false},
    {"with services", 1.0, 2.0, 64, 1, 2, 0.1, 0.0, 0.0, false},
    {"two kinds of GPUs", 1.1, 2.0, 64, 2, 1, 0.1, 0.0, 0.0, false},
    {"with best effort", 1.2, 2.0, 64, 1, 0, 0.1, 0.4, 0.0, false},
    {"a small cluster", 1.1, 2.0, 16, 1, 0, 0.1, 0.0, 0.0, false},
    {"weights and owners", 1.3, 2.0, 64, 2, 0, 0.2, 0.1, 0.2, true},
}};

inline scenario::Scenario CrowdedScenario(const Crowd& crowd, std::uint64_t seed, std::size_t jobs, std::size_t slots) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = jobs;
  shape.slots = slots;
  shape.services = crowd.services;
  shape.groups = crowd.groups;
  shape.gpus = crowd.gpus;
  shape.load = crowd.load;
  shape.slack = crowd.slack;
  shape.in_one_piece = crowd.in_one_piece;
  shape.best_effort = crowd.best_effort;
  shape.points_per_worker_count = 4;
  scenario::Scenario made = scenario::Generate(shape);
  RandomStream random = RandomStream(seed).Split("crowd");
  // Jobs of the rush keep the length of their window; it ends within the horizon, so that misses count.
  const Instant rush = made.start + made.step * static_cast<std::int64_t>(slots / 4);
  for (scenario::Job& job : made.jobs) {
    if (random.Chance(crowd.rush)) {
      const Instant submit = rush + Duration(static_cast<std::int64_t>(random.Below(7200)));
      if (job.deadline) job.deadline = std::min(*job.deadline + (submit - job.submit), made.end());
      job.submit = submit;
    }
    if (!crowd.weighed) continue;
    job.weight = 1.0 + static_cast<double>(random.Below(10));
    job.owner = std::string(1, static_cast<char>('a' + random.Below(4)));
  }
  return made;
}

}  // namespace heliostat::sim::testing
