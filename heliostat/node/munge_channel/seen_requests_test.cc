#include "heliostat/node/munge_channel/seen_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace heliostat::munge_channel {
namespace {

using ::testing::HasSubstr;

constexpr Instant kBegun{Duration(1'795'000'000)};
constexpr Duration kTolerance{60};

Request Made(Instant made, std::string nonce = "a") { return {"controller", "ctl1", std::move(nonce), made, ""}; }

std::string RefusalOf(SeenRequests& seen, const Request& request, Instant now) {
  const Status taken = seen.Take(request, now);
  return taken ? "" : taken.error().Line();
}

TEST(SeenRequestsTest, ARequestIsTakenOnce) {
  SeenRequests seen(kBegun, kTolerance, 10);
  EXPECT_TRUE(seen.Take(Made(kBegun), kBegun));
  EXPECT_THAT(RefusalOf(seen, Made(kBegun), kBegun + kTolerance), HasSubstr("was taken before"));
  EXPECT_TRUE(seen.Take(Made(kBegun, "b"), kBegun));
}

TEST(SeenRequestsTest, ItIsOfNow) {
  SeenRequests seen(kBegun, kTolerance, 10);
  const Instant now = kBegun + Duration(1000);
  EXPECT_THAT(RefusalOf(seen, Made(now - Duration(61)), now), HasSubstr("ago; within 1 min"));
  EXPECT_THAT(RefusalOf(seen, Made(now + Duration(61)), now), HasSubstr("in the future"));
  EXPECT_TRUE(seen.Take(Made(now - Duration(60)), now));
  EXPECT_TRUE(seen.Take(Made(now + Duration(60)), now));
  EXPECT_THAT(RefusalOf(seen, Made(kBegun - Duration(1), "c"), kBegun), HasSubstr("before this server began"));
}

TEST(SeenRequestsTest, ItRemembersABoundedNumberAndSaysSo) {
  SeenRequests seen(kBegun, kTolerance, 2);
  EXPECT_TRUE(seen.Take(Made(kBegun, "1"), kBegun));
  EXPECT_TRUE(seen.Take(Made(kBegun, "2"), kBegun));
  const Status third = seen.Take(Made(kBegun, "3"), kBegun);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  const Instant later = kBegun + kTolerance + Duration(1);
  EXPECT_TRUE(seen.Take(Made(later, "3"), later));
}

RC_GTEST_PROP(SeenRequestsTest, WhateverTheClockDoesNoneIsTakenTwice, ()) {
  SeenRequests seen(kBegun, kTolerance, 5);
  std::set<std::pair<Instant, std::string>> taken;
  Instant now = kBegun;
  for (const auto& [step, made, nonce] : *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
           rc::gen::tuple(rc::gen::inRange(-100, 150), rc::gen::inRange(-65, 65), rc::gen::inRange(0, 3)))) {
    now += Duration(step);
    const Request request = Made(now + Duration(made), std::to_string(nonce));
    if (seen.Take(request, now)) RC_ASSERT(taken.insert({request.made, request.nonce}).second);
  }
}

}  // namespace
}  // namespace heliostat::munge_channel
