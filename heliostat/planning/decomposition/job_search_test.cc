#include "heliostat/planning/decomposition/job_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "heliostat/planning/decomposition/schedule_finisher.h"
#include "heliostat/planning/decomposition/testing/tiny_job.h"

namespace heliostat::decomposition {
namespace {

using testing::AnyJob;
using testing::AnyOffers;
using testing::kStep;
using testing::OffersAt;
using testing::TinyJob;

// Enumerates every schedule of a job whose pieces begin and end at quarters of a slot and have one speed each.
class EverySchedule {
 public:
  EverySchedule(const JobModel& job, std::function<void(const Schedule&)> visit) : job_(job), visit_(std::move(visit)) {
    Visit(0);
  }

 private:
  static constexpr int kQuarter = kStep / 4;

  void Visit(std::size_t t) {
    if (t == job_.slot_count) {
      if (!schedule_.pieces.empty()) visit_(schedule_);
      return;
    }
    Visit(t + 1);
    const bool ended = !schedule_.pieces.empty() && !Reaches(t);
    if (!job_.preemptible && ended) return;
    const auto& levels = job_.choices[0].levels;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (std::size_t vertex = 0; vertex < levels[level].hull.size(); ++vertex) {
        for (int begin = 0; begin < kStep; begin += kQuarter) {
          for (int end = begin + kQuarter; end <= kStep; end += kQuarter) Add(t, level, vertex, begin, end);
        }
      }
    }
  }

  bool Reaches(std::size_t t) const {
    return schedule_.pieces.back().slot + 1 == t && schedule_.pieces.back().end == kStep;
  }

  void Add(std::size_t t, std::size_t level, std::size_t vertex, int begin, int end) {
    const bool goes_on =
        !schedule_.pieces.empty() && Reaches(t) && begin == 0 && schedule_.pieces.back().level == level;
    if (!job_.preemptible && !schedule_.pieces.empty() && !goes_on) return;
    const bool from_before = schedule_.pieces.empty() && GoesOn(job_, {t, level, vertex, begin, end});
    if (!job_.preemptible && job_.runs && schedule_.pieces.empty() && !from_before) return;
    const double resume_s = from_before ? job_.resume_left_s : job_.resume_s;
    int lost = goes_on ? 0 : static_cast<int>(resume_s);
    if (lost > end - begin) return;
    schedule_.pieces.push_back({t, level, vertex, begin, end, 0, lost});
    Visit(t + 1);
    schedule_.pieces.pop_back();
  }

  const JobModel& job_;
  std::function<void(const Schedule&)> visit_;
  Schedule schedule_;
};

double CostOf(const JobModel& job, const Offers& offers, double weight, const Schedule& schedule) {
  return ScheduleFinisher(job, offers, kStep, weight, 0.0).CostOf(schedule);
}

double LeastCost(const JobModel& job, const Offers& offers, double weight) {
  double least = std::numeric_limits<double>::infinity();
  const EverySchedule all(job, [&](const Schedule& schedule) {
    if (SamplesOf(job, schedule) >= job.samples) least = std::min(least, CostOf(job, offers, weight, schedule));
  });
  return least;
}

// Inside the window, in order, without a pause where required, with time to resume at every start.
void ExpectSound(const JobModel& job, const Schedule& schedule) {
  const SlotPiece* before = nullptr;
  for (const SlotPiece& piece : schedule.pieces) {
    const SlotWindow window = WindowIn(job, piece.slot - job.first_slot, kStep);
    EXPECT_GE(piece.begin, window.begin);
    EXPECT_LE(piece.end, window.end);
    EXPECT_LT(piece.begin, piece.end);
    EXPECT_LE(piece.slower + piece.lost, piece.end - piece.begin);
    if (before != nullptr) {
      const bool follows = before->slot == piece.slot ? before->end <= piece.begin : before->slot < piece.slot;
      EXPECT_TRUE(follows);
    }
    const bool goes_on = before != nullptr && before->level == piece.level && before->slot + 1 == piece.slot &&
                         before->end == kStep && piece.begin == 0;
    const bool same_slot = before != nullptr && before->slot == piece.slot && before->end == piece.begin;
    if (!job.preemptible && before != nullptr) {
      EXPECT_TRUE(goes_on || same_slot);
    }
    const bool from_before = before == nullptr && GoesOn(job, piece);
    if (job.resume_s > 0.0 && !goes_on) {
      EXPECT_GE(piece.lost, from_before ? job.resume_left_s : job.resume_s);
    }
    if (job.runs && !job.preemptible && before == nullptr) {
      EXPECT_TRUE(from_before);
    }
    before = &piece;
  }
}

// The bound holds for every schedule, and the schedule found is nearly the best of those enumerated.
void ExpectNearlyTheBest(bool runs) {
  constexpr std::uint64_t kSeeds = 60;
  double excess = 0.0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomStream random(seed);
    JobModel job = AnyJob(2, random);
    if (runs) testing::SetRunning(job, random);
    const Offers offers = AnyOffers(job, random);
    const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, offers, true, 0.0);
    const double least = LeastCost(job, offers, 0.0);
    // A job that cannot stop may run with too few workers.
    if (runs && std::isinf(least)) continue;
    ASSERT_TRUE(found.feasible) << seed;
    ExpectSound(job, found.schedule);
    EXPECT_GE(SamplesOf(job, found.schedule), job.samples * (1.0 - 1e-9)) << seed;
    EXPECT_NEAR(found.cost, CostOf(job, offers, 0.0, found.schedule), 1e-9 * found.cost) << seed;
    EXPECT_LE(found.bound, least * (1.0 + 1e-9)) << seed;
    EXPECT_LE(found.bound, found.cost * (1.0 + 1e-9)) << seed;
    EXPECT_LE(found.cost, least * (runs ? 3.0 : 1.5)) << seed;
    excess += found.cost / least - 1.0;
  }
  // Often below those enumerated, because it may change its speed at any second.
  EXPECT_LE(excess / static_cast<double>(kSeeds), 0.03);
}

TEST(JobSearch, AgreesWithGoingThroughEverySchedule) { ExpectNearlyTheBest(false); }

TEST(JobSearch, AgreesWithGoingThroughEveryScheduleOfAJobThatRuns) { ExpectNearlyTheBest(true); }

TEST(JobSearch, GoingOnIsNeverDearerThanStarting) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed);
    JobModel job = AnyJob(3, random);
    job.preemptible = true;
    const Offers offers = AnyOffers(job, random);
    const Found starts = JobSearch(kStep, 0.0).BestIn(job, 0, offers, true, 0.0);
    testing::SetRunning(job, random);
    const Found goes_on = JobSearch(kStep, 0.0).BestIn(job, 0, offers, true, 0.0);
    EXPECT_LE(goes_on.bound, starts.cost * (1.0 + 1e-9)) << seed;
    EXPECT_LE(goes_on.cost, starts.cost * 1.1) << seed;
  }
}

// For any worth of the work, no schedule costs less than the bound.
TEST(JobSearch, BoundsSchedulesThatEarnToo) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    RandomStream random(seed);
    JobModel job = AnyJob(2, random);
    testing::SetWorth(job, random);
    job.required = random.Chance(0.5);
    if (job.required) job.worth_lost_per_s = 0.0;  // else the model would pay for samples beyond those wanted
    const Offers offers = AnyOffers(job, random);
    constexpr double kWeight = 3.0;
    const Found found = JobSearch(kStep, kWeight).BestIn(job, 0, offers, true, 0.0);
    ASSERT_TRUE(found.feasible) << seed;
    ExpectSound(job, found.schedule);
    EXPECT_NEAR(found.cost, CostOf(job, offers, kWeight, found.schedule), 1e-6) << seed;
    const double scale = std::abs(found.cost) + 1.0;
    EXPECT_LE(found.bound, found.cost + 1e-9 * scale) << seed;
    const EverySchedule all(job, [&](const Schedule& schedule) {
      const double samples = SamplesOf(job, schedule);
      if (job.required && samples < job.samples) return;
      // Beyond what is wanted the model earns nothing, so only schedules that stay within count for jobs that may stop.
      if (!job.required && samples > job.samples) return;
      EXPECT_GE(CostOf(job, offers, kWeight, schedule), found.bound - 1e-9 * scale) << seed;
    });
  }
}

TEST(JobSearch, RunsWhereEnergyIsCheapest) {
  const JobModel job = TinyJob(4, 20.0 * kStep);
  const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, OffersAt(job, {3.0, 1.0, 2.0, 4.0}), false, 0.0);
  ASSERT_TRUE(found.feasible);
  for (const SlotPiece& piece : found.schedule.pieces) EXPECT_LE(piece.slot, 2U);
  const auto in = [&](std::size_t slot) {
    double samples = 0.0;
    for (const SlotPiece& piece : found.schedule.pieces) {
      if (piece.slot == slot) samples += SamplesOf(job.choices[0].levels[piece.level], piece);
    }
    return samples;
  };
  EXPECT_GT(in(1), in(2));
  EXPECT_EQ(in(3), 0.0);
}

TEST(JobSearch, AJobInOnePieceRunsThroughADearSlot) {
  JobModel job = TinyJob(3, 2.5 * 20.0 * kStep);
  job.preemptible = false;
  const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, OffersAt(job, {1.0, 50.0, 1.0}), false, 0.0);
  ASSERT_TRUE(found.feasible);
  ExpectSound(job, found.schedule);
  EXPECT_GE(SamplesOf(job, found.schedule), job.samples * (1.0 - 1e-9));
  EXPECT_EQ(found.schedule.pieces.size(), 3U);
}

TEST(JobSearch, NoPriceMakesAJobFasterThanItIs) {
  const JobModel job = TinyJob(2, 2.01 * 20.0 * kStep);
  EXPECT_FALSE(JobSearch(kStep, 0.0).BestIn(job, 0, OffersAt(job, {1.0, 1.0}), true, 0.0).feasible);
  const JobModel fits = TinyJob(2, 2.0 * 20.0 * kStep);
  const Found found = JobSearch(kStep, 0.0).BestIn(fits, 0, OffersAt(fits, {1.0, 1.0}), true, 0.0);
  ASSERT_TRUE(found.feasible);
  EXPECT_NEAR(found.cost, 2.0 * kStep * 400.0, 1e-6) << "all of both slots at full speed";
  EXPECT_NEAR(found.bound, found.cost, 1e-6 * found.cost);
}

TEST(JobSearch, ASlotThatOffersNothingIsNotUsed) {
  const JobModel job = TinyJob(3, 1.5 * 20.0 * kStep);
  Offers offers = OffersAt(job, {1.0, 0.1, 1.0});
  for (std::size_t i = 2; i < 4; ++i) offers.offers[i] = Offer{};
  const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, offers, false, 0.0);
  ASSERT_TRUE(found.feasible);
  for (const SlotPiece& piece : found.schedule.pieces) EXPECT_NE(piece.slot, 1U);
}

TEST(JobSearch, KeepsBelowThePowerThatASlotHasRoomFor) {
  const JobModel job = TinyJob(2, 12.0 * kStep);
  Offers offers = OffersAt(job, {1.0, 1.0});
  for (Offer& offer : offers.offers) offer.most_watts = 250.0;
  const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, offers, false, 0.0);
  ASSERT_TRUE(found.feasible);
  for (const SlotPiece& piece : found.schedule.pieces) {
    EXPECT_LE(job.choices[0].levels[piece.level].hull[piece.vertex].watts, 250.0);
  }
  for (Offer& offer : offers.offers) offer.most_watts = 50.0;
  EXPECT_FALSE(JobSearch(kStep, 0.0).BestIn(job, 0, offers, false, 0.0).feasible);
}

TEST(JobSearch, ResumingMayTakeLongerThanASlot) {
  JobModel job = TinyJob(4, 20.0 * kStep);
  job.resume_s = 90.0;
  const Found found = JobSearch(kStep, 0.0).BestIn(job, 0, OffersAt(job, {1.0, 1.0, 1.0, 1.0}), false, 0.0);
  ASSERT_TRUE(found.feasible);
  EXPECT_GE(SamplesOf(job, found.schedule), job.samples * (1.0 - 1e-9));
  int lost = 0;
  for (const SlotPiece& piece : found.schedule.pieces) lost += piece.lost;
  EXPECT_GE(lost, 90);
}

TEST(JobSearch, WhatIsNotRequiredRunsOnlyWhereItEarns) {
  JobModel job = TinyJob(2, 1e9);
  job.required = false;
  job.worth = 1.0;
  // At full speed a sample costs 20 J: at half a unit per joule it pays only if it is worth more than 10.
  const Offers offers = OffersAt(job, {0.5, 0.5});
  EXPECT_TRUE(JobSearch(kStep, 5.0).BestIn(job, 0, offers, false, 0.0).schedule.pieces.empty());
  const Found found = JobSearch(kStep, 30.0).BestIn(job, 0, offers, false, 0.0);
  ASSERT_TRUE(found.feasible);
  EXPECT_NEAR(SamplesOf(job, found.schedule), 2.0 * 20.0 * kStep, 1e-9);
  EXPECT_LT(found.cost, 0.0);
}

// The first price changes only the time of the search.
TEST(JobSearch, TheFirstGuessDoesNotMatter) {
  for (std::uint64_t seed = 200; seed < 240; ++seed) {
    RandomStream random(seed);
    const JobModel job = AnyJob(4, random);
    const Offers offers = AnyOffers(job, random);
    JobSearch search(kStep, 0.0);
    const Found cold = search.BestIn(job, 0, offers, true, 0.0);
    ASSERT_TRUE(cold.feasible);
    for (const double guess : {cold.lambda, 0.01 * cold.lambda + 1e-9, 100.0 * cold.lambda + 1e-9}) {
      const Found warm = search.BestIn(job, 0, offers, true, guess);
      ASSERT_TRUE(warm.feasible) << seed;
      EXPECT_NEAR(warm.bound, cold.bound, 1e-5 * std::abs(cold.bound)) << seed << " from " << guess;
      EXPECT_LE(cold.bound, warm.cost * (1.0 + 1e-6));
    }
  }
}

TEST(JobSearch, CheaperEnergyNeverCostsMore) {
  for (std::uint64_t seed = 300; seed < 330; ++seed) {
    RandomStream random(seed);
    const JobModel job = AnyJob(4, random);
    const Offers dear = AnyOffers(job, random);
    Offers cheap = dear;
    for (Offer& offer : cheap.offers) offer.per_joule *= random.Uniform(0.5, 1.0);
    JobSearch search(kStep, 0.0);
    const Found before = search.BestIn(job, 0, dear, true, 0.0);
    const Found after = search.BestIn(job, 0, cheap, true, 0.0);
    ASSERT_TRUE(before.feasible && after.feasible);
    EXPECT_LE(after.bound, before.cost * (1.0 + 1e-9)) << seed;
    EXPECT_LE(after.bound, before.bound * (1.0 + 1e-5)) << seed;
  }
}

}  // namespace
}  // namespace heliostat::decomposition
