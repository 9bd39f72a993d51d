#include "heliostat/control/cluster/circuit_breaker.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kNoon{Duration{1'795'003'200}};
constexpr Patience kPatience{.failures = 3, .first_wait = seconds(5), .longest_wait = seconds(15)};

TEST(CircuitBreaker, OpensAfterFailuresInARowOnly) {
  ManualClock clock(kNoon);
  CircuitBreaker breaker(clock, kPatience);
  breaker.Fail("a");
  breaker.Fail("b");
  breaker.Succeed();
  breaker.Fail("c");
  breaker.Fail("d");
  EXPECT_FALSE(breaker.is_open());
  breaker.Fail("e");
  EXPECT_TRUE(breaker.is_open());
  breaker.Succeed();
  EXPECT_FALSE(breaker.is_open());
}

TEST(CircuitBreaker, WaitsTwiceAsLongEachTimeUpToTheLongest) {
  ManualClock clock(kNoon);
  CircuitBreaker breaker(clock, kPatience);
  for (int i = 0; i < 3; ++i) breaker.Fail("squeue: silence");
  for (const seconds wait : {seconds(5), seconds(10), seconds(15), seconds(15)}) {
    clock.Advance(wait - milliseconds(1));
    EXPECT_TRUE(breaker.MustWait());
    clock.Advance(milliseconds(1));
    EXPECT_FALSE(breaker.MustWait());
    breaker.Fail("scontrol ping: DOWN");
  }
}

TEST(CircuitBreaker, SaysSinceWhenAndUntilWhen) {
  ManualClock clock(kNoon);
  CircuitBreaker breaker(clock, kPatience);
  breaker.Fail("first");
  clock.Advance(seconds(60));
  breaker.Fail("second");
  breaker.Fail("squeue: silence");
  clock.Advance(milliseconds(1500));
  EXPECT_EQ(breaker.Line(), "does not answer since 2026-11-18T12:00:00Z (squeue: silence); is asked again in 4 s");
}

RC_GTEST_PROP(CircuitBreakerLaws, AnOpenOneNeverWaitsLongerThanTheLongestWait, ()) {
  ManualClock clock(kNoon);
  CircuitBreaker breaker(clock, kPatience);
  for (int i = 0; i < 50; ++i) {
    if (*rc::gen::inRange(0, 8) == 0)
      breaker.Succeed();
    else
      breaker.Fail("x");
    clock.Advance(milliseconds(*rc::gen::inRange(0, 20'000)));
    if (!breaker.is_open()) RC_ASSERT(!breaker.MustWait());
  }
  clock.Advance(kPatience.longest_wait);
  RC_ASSERT(!breaker.MustWait());
}

}  // namespace
}  // namespace heliostat::cluster
