#pragma once

#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition::testing {

inline constexpr int kStep = 60;  // seconds of a slot

// One number of workers at two speeds: half the power gives more than half the speed.
inline WorkerLevel TwoSpeeds(int workers) {
  return {workers, {{6.0 * workers, 100.0 * workers, 0}, {10.0 * workers, 200.0 * workers, 1}}};
}

// A job that may run in all of `slots` slots, in one group, with one worker or with two.
inline JobModel TinyJob(std::size_t slots, double samples) {
  JobModel job;
  job.slot_count = slots;
  job.last_end = kStep;
  job.samples = samples;
  job.choices = {{0, {TwoSpeeds(1), TwoSpeeds(2)}}};
  return job;
}

// Offers all of every slot at these prices per joule, the same for every number of workers.
inline Offers OffersAt(const JobModel& job, const std::vector<double>& per_joule) {
  Offers offers;
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    Offer offer;
    offer.per_joule = per_joule[t];
    offer.most_watts = 1e6;
    offer.full = offer.first = offer.last = offer.single = kStep;
    offers.offers.insert(offers.offers.end(), job.choices[0].levels.size(), offer);
  }
  return offers;
}

// Any prices, rents and fixed costs.
inline Offers AnyOffers(const JobModel& job, RandomStream& random) {
  std::vector<double> prices;
  for (std::size_t t = 0; t < job.slot_count; ++t) prices.push_back(random.Uniform(0.2, 2.0));
  Offers offers = OffersAt(job, prices);
  for (Offer& offer : offers.offers) {
    offer.per_gpu_second = random.Chance(0.5) ? random.Uniform(0.0, 100.0) : 0.0;
    offer.fixed = random.Chance(0.3) ? random.Uniform(0.0, 3000.0) : 0.0;
  }
  return offers;
}

// Any job that could be done in `slots` slots: with or without resuming, in pieces or in one.
inline JobModel AnyJob(std::size_t slots, RandomStream& random) {
  const double most = 20.0 * kStep * static_cast<double>(slots);
  JobModel job = TinyJob(slots, random.Uniform(0.05, 0.6) * most);
  job.resume_s = random.Chance(0.5) ? 10.0 : 0.0;
  job.preemptible = random.Chance(0.7);
  return job;
}

// Lets the job run before its window, with a part of resuming left or none.
inline void SetRunning(JobModel& job, RandomStream& random) {
  job.runs = true;
  job.run_level = random.Chance(0.5) ? 1 : 0;
  job.resume_left_s = random.Chance(0.5) ? 0.4 * job.resume_s : 0.0;
}

// Gives the job's work a worth, which may fall with time.
inline void SetWorth(JobModel& job, RandomStream& random) {
  job.worth = random.Uniform(0.0, 20.0);
  job.worth_lost_per_s = random.Chance(0.5) ? job.worth / (2.0 * kStep * static_cast<double>(job.slot_count)) : 0.0;
}

}  // namespace heliostat::decomposition::testing
