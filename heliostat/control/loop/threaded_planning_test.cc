#include "heliostat/control/loop/threaded_planning.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "heliostat/control/policy/testing/rounding.h"

namespace heliostat::loop {
namespace {

using policy::testing::Rounding;
using namespace std::chrono_literals;

constexpr Instant kNow{Duration{1'000'000}};

// One round that lasts until End() is called.
class Endless : public policy::PlanTask {
 public:
  void Make(plan::Rounds& rounds) override {
    (void)rounds.Begin();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return is_over_; });
    may_go_on_ = rounds.Begin();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    ended_.notify_all();
  }
  bool may_go_on() const { return may_go_on_; }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  bool may_go_on_ = true;
};

bool TakeSoon(policy::Planning& planning) {
  for (int i = 0; i < 10'000; ++i) {
    if (planning.Take(kNow)) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(ThreadedPlanning, APlanArrivesWhenItIsMade) {
  ThreadedPlanning planning(10min);
  const auto task = std::make_shared<Rounding>(5);
  planning.Begin(task, kNow);
  EXPECT_EQ(planning.NextArrival(kNow), kNow + 10min);
  EXPECT_EQ(planning.NextArrival(kNow + 10min), kNow + 10min + 1s);  // late: again after each pause
  ASSERT_TRUE(TakeSoon(planning));
  EXPECT_EQ(task->made(), 5);
  EXPECT_EQ(planning.rounds(), 5);
  EXPECT_FALSE(planning.IsBusy());
}

TEST(ThreadedPlanning, NoRoundBeginsAfterItsTime) {
  ThreadedPlanning planning(0s);
  const auto task = std::make_shared<Rounding>(5);
  planning.Begin(task, kNow);
  ASSERT_TRUE(TakeSoon(planning));
  EXPECT_EQ(task->made(), 0);
}

TEST(ThreadedPlanning, TheLoopGoesOnWhileAPlanIsMadeAndAfterItIsDropped) {
  ThreadedPlanning planning(10min);
  const auto endless = std::make_shared<Endless>();
  planning.Begin(endless, kNow);
  EXPECT_FALSE(planning.Take(kNow));
  planning.Drop();
  EXPECT_FALSE(planning.IsBusy());
  const auto next = std::make_shared<Rounding>(2);
  planning.Begin(next, kNow);
  EXPECT_TRUE(TakeSoon(planning));
  EXPECT_EQ(planning.rounds(), 2);
  endless->End();
}

TEST(ThreadedPlanning, WhatIsDroppedBeginsNoOtherRound) {
  const auto endless = std::make_shared<Endless>();
  {
    ThreadedPlanning planning(10min);
    planning.Begin(endless, kNow);
    planning.Drop();
    endless->End();
  }
  EXPECT_FALSE(endless->may_go_on());
}

TEST(RecordingPlanning, RemembersWhenPlansWereBegunAndTheirRounds) {
  policy::TimedPlanning inner(1min, 4);
  RecordingPlanning planning(inner);
  planning.Begin(std::make_shared<Rounding>(9), kNow);
  EXPECT_TRUE(planning.TakeArrivals().empty());
  ASSERT_TRUE(planning.Take(kNow + 1min));
  const auto arrivals = planning.TakeArrivals();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].begun, kNow);
  EXPECT_EQ(arrivals[0].rounds, 4);
  EXPECT_TRUE(planning.TakeArrivals().empty());
}

}  // namespace
}  // namespace heliostat::loop
