#include "heliostat/base/core/token_bucket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat {
namespace {

using namespace std::chrono_literals;

RC_GTEST_PROP(TokenBucketTest, NeverLetsMoreThroughThanItsBurstAndRate, ()) {
  const RateLimit rate{static_cast<double>(*rc::gen::inRange(1, 50)), static_cast<double>(*rc::gen::inRange(1, 50))};
  TokenBucket::Time now = 1000s;
  TokenBucket bucket(rate, now);
  int through = 0;
  const TokenBucket::Time start = now;
  for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300))) {
    now += std::chrono::milliseconds(step);
    through += bucket.Take(rate, now) ? 1 : 0;
    RC_ASSERT(through <= rate.burst + std::chrono::duration<double>(now - start).count() * rate.per_second + 1e-6);
  }
}

TEST(TokenBucketTest, LetsTheBurstThroughAndFillsUpAgain) {
  const RateLimit rate{2.0, 5.0};
  TokenBucket bucket(rate, 0s);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket.Take(rate, 0s)) << i;
  EXPECT_FALSE(bucket.Take(rate, 0s));
  EXPECT_TRUE(bucket.Take(rate, 500ms));
  EXPECT_FALSE(bucket.Take(rate, 900ms));
  EXPECT_FALSE(bucket.IsFull(rate, 2s));
  EXPECT_TRUE(bucket.IsFull(rate, 4s));
}

}  // namespace
}  // namespace heliostat
