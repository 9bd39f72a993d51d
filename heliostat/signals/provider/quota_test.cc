#include "heliostat/signals/provider/quota.h"

#include <gtest/gtest.h>

#include <vector>

namespace heliostat::provider {
namespace {

using std::chrono::milliseconds;
constexpr Instant kStart{Duration{1'700'000'000}};

TEST(QuotaTest, LetsABurstThroughAndThenWaits) {
  ManualClock clock(kStart);
  Quota quota(clock, {3, Duration{10}});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(quota.Take("x"));
  EXPECT_EQ(clock.slept(), milliseconds(0));
  ASSERT_TRUE(quota.Take("x"));
  EXPECT_GE(clock.slept(), milliseconds(10'000));
  EXPECT_LE(clock.slept(), milliseconds(11'000));
}

// For any times of requests, no window holds more than allowed.
TEST(QuotaTest, NoWindowEverHoldsMoreThanAllowed) {
  ManualClock clock(kStart);
  Quota quota(clock, {4, Duration{7}});
  std::vector<Instant> taken;
  for (int i = 0; i < 60; ++i) {
    clock.Advance(milliseconds(137 * (i * i % 17)));
    ASSERT_TRUE(quota.Take("x"));
    taken.push_back(clock.Now());
  }
  for (std::size_t i = 4; i < taken.size(); ++i) EXPECT_GT(taken[i] - taken[i - 4], Duration{7}) << i;
}

TEST(QuotaTest, RefusesToWaitTooLong) {
  ManualClock clock(kStart);
  Quota quota(clock, {1, Duration{3600}}, Duration{60});
  ASSERT_TRUE(quota.Take("x"));
  const auto refused = quota.Take("provider x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(clock.slept(), milliseconds(0));
  clock.Advance(milliseconds(3'601'000));
  EXPECT_TRUE(quota.Take("x"));
}

}  // namespace
}  // namespace heliostat::provider
