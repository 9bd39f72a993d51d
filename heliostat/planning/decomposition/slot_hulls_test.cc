#include "heliostat/planning/decomposition/slot_hulls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heliostat/planning/decomposition/schedule_finisher.h"
#include "heliostat/planning/decomposition/testing/plain_programme.h"
#include "heliostat/planning/decomposition/testing/tiny_job.h"

namespace heliostat::decomposition {
namespace {

using testing::kStep;
using testing::PlainProgramme;

// One offer per slot, without a limit.
Offers OpenOffers(const JobModel& job, RandomStream& random) {
  Offers offers;
  offers.same_for_levels = true;
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    Offer offer;
    offer.per_joule = random.Uniform(0.1, 2.0);
    offer.per_gpu_second = random.Chance(0.5) ? random.Uniform(0.0, 100.0) : 0.0;
    offer.most_watts = std::numeric_limits<double>::infinity();
    offer.full = offer.first = offer.last = offer.single = kStep;
    offers.offers.push_back(offer);
  }
  return offers;
}

JobModel AnyResizingJob(RandomStream& random) {
  JobModel job = testing::TinyJob(1 + random.Below(8), 0.0);
  job.samples = random.Uniform(0.05, 0.95) * 20.0 * kStep * static_cast<double>(job.slot_count);
  if (random.Chance(0.5)) job.worth = random.Uniform(0.0, 20.0);
  return job;
}

// No price of a sample proves a higher bound than the hulls, and the price that they return proves theirs.
TEST(SlotHulls, ProveTheBestBoundOfThePlainProgramme) {
  constexpr double kWeight = 2.0;
  SlotHulls hulls;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomStream random(seed);
    const JobModel job = AnyResizingJob(random);
    const Offers offers = OpenOffers(job, random);
    ASSERT_TRUE(SlotHulls::IsFor(job, offers));
    const SlotHulls::Answer answer = hulls.Cheapest(job, 0, offers, kWeight);
    ASSERT_TRUE(answer.feasible) << seed;
    PlainProgramme plain(job, offers, kStep, 0.0, false);
    const double scale = 1e-9 * (1.0 + std::abs(answer.lambda) * job.samples);
    const double worth = kWeight * job.worth * job.samples;
    const auto proven = [&](double lambda) { return lambda * job.samples - plain.Profit(lambda) - worth; };
    EXPECT_NEAR(proven(answer.lambda), answer.bound, scale) << seed;
    for (const double share : {0.5, 0.9, 1.1, 2.0}) EXPECT_LE(proven(share * answer.lambda), answer.bound + scale);
  }
}

TEST(SlotHulls, TheScheduleMakesTheSamplesAndComesWithinSecondsOfTheBound) {
  SlotHulls hulls;
  for (std::uint64_t seed = 3000; seed < 4000; ++seed) {
    RandomStream random(seed);
    JobModel job = AnyResizingJob(random);
    job.worth = 0.0;
    const Offers offers = OpenOffers(job, random);
    const SlotHulls::Answer answer = hulls.Cheapest(job, 0, offers, 0.0);
    ASSERT_TRUE(answer.feasible);
    EXPECT_GE(SamplesOf(job, answer.schedule), job.samples * (1.0 - 1e-9)) << seed;
    const double cost = ScheduleFinisher(job, offers, kStep, 0.0, 0.0).CostOf(answer.schedule);
    EXPECT_GE(cost, answer.bound * (1.0 - 1e-9)) << seed;
    EXPECT_LE(cost, answer.bound + answer.lambda * 20.0 + 1e-6) << "at most one second at full speed too much";
  }
}

TEST(SlotHulls, TooMuchWorkIsInfeasible) {
  RandomStream random(1);
  JobModel job = testing::TinyJob(3, 3.01 * 20.0 * kStep);
  EXPECT_FALSE(SlotHulls().Cheapest(job, 0, OpenOffers(job, random), 0.0).feasible);
}

TEST(SlotHulls, AreOnlyForJobsThatResizeAtNoCost) {
  RandomStream random(2);
  const JobModel job = testing::TinyJob(3, 100.0);
  const Offers offers = OpenOffers(job, random);
  EXPECT_TRUE(SlotHulls::IsFor(job, offers));
  JobModel resumes = job;
  resumes.resume_s = 1.0;
  EXPECT_FALSE(SlotHulls::IsFor(resumes, offers));
  JobModel whole = job;
  whole.preemptible = false;
  EXPECT_FALSE(SlotHulls::IsFor(whole, offers));
  Offers dear = offers;
  dear.offers[1].fixed = 1.0;
  EXPECT_FALSE(SlotHulls::IsFor(job, dear));
}

}  // namespace
}  // namespace heliostat::decomposition
