#include "heliostat/control/policy/planning.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/rounding.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBegin{Duration{1'000'000}};

TEST(TimedPlanning, APlanArrivesAfterItsTimeAndOnce) {
  TimedPlanning planning(30s);
  EXPECT_EQ(planning.NextArrival(kBegin), std::nullopt);
  EXPECT_FALSE(planning.Take(kBegin));
  planning.Begin(std::make_shared<Rounding>(7), kBegin);
  EXPECT_TRUE(planning.IsBusy());
  EXPECT_EQ(planning.NextArrival(kBegin), kBegin + 30s);
  EXPECT_FALSE(planning.Take(kBegin + 29s));
  EXPECT_TRUE(planning.Take(kBegin + 30s));
  EXPECT_EQ(planning.rounds(), 7);
  EXPECT_FALSE(planning.IsBusy());
  EXPECT_FALSE(planning.Take(kBegin + 31s));
}

TEST(TimedPlanning, ThereAreNoMoreRoundsThanAllowed) {
  TimedPlanning planning(0s, 3);
  const auto task = std::make_shared<Rounding>(7);
  planning.Begin(task, kBegin);
  EXPECT_TRUE(planning.Take(kBegin));
  EXPECT_EQ(task->made(), 3);
  EXPECT_EQ(planning.rounds(), 3);
}

TEST(TimedPlanning, WhatIsDroppedNeverArrives) {
  TimedPlanning planning(30s);
  planning.Begin(std::make_shared<Rounding>(1), kBegin);
  planning.Drop();
  EXPECT_FALSE(planning.IsBusy());
  EXPECT_FALSE(planning.Take(kBegin + 1h));
}

}  // namespace
}  // namespace heliostat::policy::testing
