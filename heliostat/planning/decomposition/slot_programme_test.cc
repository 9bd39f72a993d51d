#include "heliostat/planning/decomposition/slot_programme.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/decomposition/schedule_finisher.h"
#include "heliostat/planning/decomposition/testing/plain_programme.h"
#include "heliostat/planning/decomposition/testing/tiny_job.h"

namespace heliostat::decomposition {
namespace {

using testing::AnyJob;
using testing::AnyOffers;
using testing::kStep;
using testing::PlainProgramme;

// A part of the slot, or nothing.
void Shorten(const SlotWindow& window, RandomStream& random, Offer& offer) {
  offer.full = 0;
  const int all = window.end - window.begin;
  const auto seconds = [&] { return random.Chance(0.3) ? 0 : static_cast<int>(random.Below(all)); };
  offer.first = window.end == kStep ? seconds() : 0;
  offer.last = window.begin == 0 ? seconds() : 0;
  offer.single = std::max({seconds(), offer.first, offer.last});
}

// Offers of all of the window.
Offers OffersInWindow(const JobModel& job, RandomStream& random) {
  Offers offers = AnyOffers(job, random);
  const std::size_t levels = job.choices[0].levels.size();
  for (std::size_t i = 0; i < offers.offers.size(); ++i) {
    const SlotWindow window = WindowIn(job, i / levels, kStep);
    Offer& offer = offers.offers[i];
    offer.single_begin = window.begin;
    offer.full = offer.single = window.end - window.begin;
    offer.first = window.end == kStep ? offer.full : 0;
    offer.last = window.begin == 0 ? offer.full : 0;
  }
  return offers;
}

// Offers with parts of slots, two ways, and limits of power.
Offers MixedOffers(const JobModel& job, RandomStream& random) {
  const Offers plain = OffersInWindow(job, random);
  Offers offers;
  offers.ways = 2;
  const std::size_t levels = job.choices[0].levels.size();
  const bool is_busy = random.Chance(0.5);
  for (std::size_t i = 0; i < plain.offers.size(); ++i) {
    const SlotWindow window = WindowIn(job, i / levels, kStep);
    Offer first = plain.offers[i];
    if (random.Chance(0.1)) first.most_watts = random.Uniform(50.0, 500.0);
    Offer second = first;
    if (is_busy && random.Chance(0.4)) Shorten(window, random, first);
    second.fixed += random.Chance(0.5) ? random.Uniform(0.0, 2000.0) : 0.0;
    if (first.full > 0 || random.Chance(0.3)) second = Offer{};
    offers.offers.push_back(first);
    offers.offers.push_back(second);
  }
  return offers;
}

JobModel AnyWindow(RandomStream& random) {
  JobModel job = AnyJob(1 + random.Below(6), random);
  if (random.Chance(0.3)) job.first_begin = static_cast<int>(random.Below(kStep / 2));
  if (random.Chance(0.3)) job.last_end = kStep / 2 + 1 + static_cast<int>(random.Below(kStep / 2));
  job.required = random.Chance(0.7);
  if (random.Chance(0.5)) testing::SetWorth(job, random);
  return job;
}

TEST(SlotProgramme, EarnsAsMuchAsThePlainOne) {
  constexpr std::uint64_t kJobs = 3000;
  constexpr double kWeight = 2.0;
  SlotProgramme programme(kStep, kWeight);
  for (std::uint64_t seed = 0; seed < kJobs; ++seed) {
    RandomStream random(seed);
    const JobModel job = AnyWindow(random);
    Offers offers = random.Chance(0.5) ? OffersInWindow(job, random) : MixedOffers(job, random);
    if (random.Chance(0.1)) {
      for (Offer& offer : offers.offers) offer.per_joule -= 1.0;
    }
    const bool relax = offers.ways == 1 && random.Chance(0.5);
    programme.Load(job, job.choices[0], offers, relax);
    PlainProgramme plain(job, offers, kStep, kWeight, relax);
    for (const double lambda : {0.0, random.Uniform(0.0, 10.0), random.Uniform(5.0, 40.0), 1000.0}) {
      const double profit = programme.Evaluate(lambda).profit;
      const double expected = plain.Profit(lambda);
      if (std::isinf(expected)) {
        EXPECT_EQ(profit, expected) << seed;
      } else {
        EXPECT_NEAR(profit, expected, 1e-9 * (1.0 + std::abs(expected))) << seed << " at " << lambda;
      }
    }
  }
}

// The moves and the samples belong to the profit.
TEST(SlotProgramme, ReturnsTheScheduleThatEarnsTheProfit) {
  SlotProgramme programme(kStep, 0.0);
  for (std::uint64_t seed = 5000; seed < 6000; ++seed) {
    RandomStream random(seed);
    const JobModel job = AnyWindow(random);
    const Offers offers = random.Chance(0.5) ? OffersInWindow(job, random) : MixedOffers(job, random);
    programme.Load(job, job.choices[0], offers, false);
    for (const double lambda : {3.0, random.Uniform(5.0, 40.0), 1000.0}) {
      const SlotProgramme::Step step = programme.Evaluate(lambda);
      if (step.profit == SlotProgramme::kUnreached) continue;
      const Schedule schedule = programme.ScheduleOf(programme.moves(), 0);
      EXPECT_NEAR(SamplesOf(job, schedule), step.samples, 1e-9 * (1.0 + step.samples)) << seed;
      const double cost = ScheduleFinisher(job, offers, kStep, 0.0, 0.0).CostOf(schedule);
      EXPECT_NEAR(lambda * step.samples - cost, step.profit, 1e-9 * (1.0 + std::abs(cost) + lambda * step.samples))
          << seed << " at " << lambda;
    }
  }
}

}  // namespace
}  // namespace heliostat::decomposition
