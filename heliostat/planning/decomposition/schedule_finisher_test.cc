#include "heliostat/planning/decomposition/schedule_finisher.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/decomposition/testing/tiny_job.h"

namespace heliostat::decomposition {
namespace {

using testing::AnyOffers;
using testing::kStep;
using testing::OffersAt;
using testing::TinyJob;

// Every slot of the window at full speed with `level`.
Schedule FullSpeed(const JobModel& job, std::size_t level) {
  Schedule schedule;
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    schedule.pieces.push_back({t, level, 1, 0, kStep, 0, t == 0 ? static_cast<int>(job.resume_s) : 0});
  }
  return schedule;
}

int SecondsOf(const Schedule& schedule) {
  int seconds = 0;
  for (const SlotPiece& piece : schedule.pieces) seconds += piece.end - piece.begin;
  return seconds;
}

TEST(ScheduleFinisher, TrimsWithoutEverMakingTooLittle) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed);
    JobModel job = TinyJob(4, random.Uniform(0.1, 0.95) * 4.0 * 20.0 * kStep);
    job.resume_s = random.Chance(0.5) ? 10.0 : 0.0;
    const Offers offers = AnyOffers(job, random);
    const ScheduleFinisher finisher(job, offers, kStep, 0.0, 0.0);
    Schedule schedule = FullSpeed(job, 1);
    const double before = SamplesOf(job, schedule);
    const double excess = before - job.samples;
    if (excess <= 0.0) continue;
    const double cost = finisher.CostOf(schedule);
    const int seconds = SecondsOf(schedule);
    const double left = finisher.Trim(schedule, excess);
    EXPECT_GE(left, 0.0) << seed;
    EXPECT_NEAR(SamplesOf(job, schedule), job.samples + left, 1e-6) << seed;
    EXPECT_LE(finisher.CostOf(schedule), cost * (1.0 + 1e-12)) << "energy costs something, so less work costs less";
    EXPECT_LE(SecondsOf(schedule), seconds);
    for (const SlotPiece& piece : schedule.pieces) {
      EXPECT_LT(piece.begin, piece.end);
      EXPECT_LE(piece.slower + piece.lost, piece.end - piece.begin);
      EXPECT_TRUE(piece.slower == 0 || piece.vertex > 0);
    }
  }
}

TEST(ScheduleFinisher, TakesOffTheDearestFirst) {
  // Both ends of the run could go; the last slot's energy costs most.
  const JobModel job = TinyJob(3, 2.0 * 20.0 * kStep);
  const Offers offers = OffersAt(job, {2.0, 1.0, 5.0});
  ScheduleFinisher finisher(job, offers, kStep, 0.0, 0.0);
  ASSERT_TRUE(finisher.Finish(FullSpeed(job, 1)));
  double dear = 0.0;
  double cheap = 0.0;
  for (const SlotPiece& piece : finisher.schedule().pieces) {
    const double samples = SamplesOf(job.choices[0].levels[piece.level], piece);
    (piece.slot == 2 ? dear : cheap) += samples;
  }
  EXPECT_LT(dear, 0.2 * cheap);
  EXPECT_LT(finisher.cost(), finisher.CostOf(FullSpeed(job, 1)));
}

TEST(ScheduleFinisher, LeavesLessThanASecondTooMuch) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random(seed);
    JobModel job = TinyJob(4, random.Uniform(0.2, 0.9) * 4.0 * 20.0 * kStep);
    job.resume_s = random.Chance(0.5) ? 10.0 : 0.0;
    job.preemptible = random.Chance(0.5);
    const Offers offers = AnyOffers(job, random);
    ScheduleFinisher finisher(job, offers, kStep, 0.0, random.Uniform(0.0, 40.0));
    if (SamplesOf(job, FullSpeed(job, 1)) < job.samples) continue;
    ASSERT_TRUE(finisher.Finish(FullSpeed(job, 1))) << seed;
    const double made = SamplesOf(job, finisher.schedule());
    EXPECT_GE(made, job.samples * (1.0 - 1e-9)) << seed;
    EXPECT_LE(made, job.samples + 20.0) << seed << ": a second at full speed makes 20";
    EXPECT_NEAR(finisher.cost(), finisher.CostOf(finisher.schedule()), 1e-9 * finisher.cost());
  }
}

TEST(ScheduleFinisher, RefusesWhatMakesTooLittle) {
  JobModel job = TinyJob(2, 3.0 * 20.0 * kStep);
  const Offers offers = OffersAt(job, {1.0, 1.0});
  ScheduleFinisher finisher(job, offers, kStep, 0.0, 0.0);
  EXPECT_FALSE(finisher.Finish(FullSpeed(job, 1)));
  EXPECT_TRUE(finisher.schedule().pieces.empty());
  EXPECT_TRUE(std::isinf(finisher.cost()));
  job.required = false;
  EXPECT_TRUE(finisher.Finish(FullSpeed(job, 1)));
}

TEST(ScheduleFinisher, KeepsTheCheapestOfThose) {
  const JobModel job = TinyJob(2, 10.0 * kStep);
  const Offers offers = OffersAt(job, {4.0, 1.0});
  const Schedule dear{0, {{0, 0, 1, 0, kStep, 0, 0}}};
  const Schedule cheap{0, {{1, 0, 1, 0, kStep, 0, 0}}};
  ScheduleFinisher finisher(job, offers, kStep, 0.0, 0.0);
  ASSERT_TRUE(finisher.Finish(dear));
  EXPECT_EQ(finisher.cost(), 4.0 * 200.0 * kStep);
  ASSERT_TRUE(finisher.Finish(cheap));
  EXPECT_EQ(finisher.cost(), 1.0 * 200.0 * kStep);
  ASSERT_TRUE(finisher.Finish(dear));
  EXPECT_EQ(finisher.cost(), 1.0 * 200.0 * kStep);
  EXPECT_EQ(finisher.schedule().pieces[0].slot, 1U);
}

// Too few samples early and too many late: one schedule up to some slot, then the other.
TEST(ScheduleFinisher, CrossesTwoSchedules) {
  const JobModel job = TinyJob(4, 2.5 * 20.0 * kStep);
  const Offers offers = OffersAt(job, {1.0, 1.0, 1.0, 1.0});
  const Schedule less{0, {{0, 0, 1, 0, kStep, 0, 0}, {1, 0, 1, 0, kStep, 0, 0}}};
  const Schedule enough = FullSpeed(job, 1);
  ScheduleFinisher plain(job, offers, kStep, 0.0, 10.0);
  ASSERT_TRUE(plain.Finish(enough));
  ScheduleFinisher crossed(job, offers, kStep, 0.0, 10.0);
  ASSERT_TRUE(crossed.Finish(enough));
  crossed.Cross(less, enough);
  crossed.Cross(enough, less);
  EXPECT_LE(crossed.cost(), plain.cost());
  EXPECT_GE(SamplesOf(job, crossed.schedule()), job.samples * (1.0 - 1e-9));
}

TEST(ScheduleFinisher, CrossingNeverWorsensNorBreaksAnything) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed);
    JobModel job = TinyJob(5, random.Uniform(0.2, 0.7) * 5.0 * 20.0 * kStep);
    job.resume_s = random.Chance(0.5) ? 10.0 : 0.0;
    const Offers offers = AnyOffers(job, random);
    Schedule less{0, {}};
    for (std::size_t t = 0; t < 5; ++t) {
      if (!random.Chance(0.5)) continue;
      const bool starts = less.pieces.empty() || less.pieces.back().slot + 1 != t;
      less.pieces.push_back({t, 0, 1, 0, kStep, 0, starts ? static_cast<int>(job.resume_s) : 0});
    }
    ScheduleFinisher finisher(job, offers, kStep, 0.0, random.Uniform(0.0, 40.0));
    ASSERT_TRUE(finisher.Finish(FullSpeed(job, 1)));
    const double before = finisher.cost();
    finisher.Cross(less, FullSpeed(job, 1));
    finisher.Cross(FullSpeed(job, 1), less);
    EXPECT_LE(finisher.cost(), before);
    EXPECT_GE(SamplesOf(job, finisher.schedule()), job.samples * (1.0 - 1e-9)) << seed;
  }
}

}  // namespace
}  // namespace heliostat::decomposition
