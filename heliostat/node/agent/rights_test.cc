#include "heliostat/node/agent/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::Setting;
using ::testing::HasSubstr;

const device::Identity kGpu{"GPU-abc", "NVIDIA H200", "00000000:01:00.0", 3};

Allowance Alice() {
  Allowance allowance;
  allowance.uids = {1001};
  allowance.gids = {50};
  allowance.gpus = {"3"};
  allowance.knobs = {Knob::kPowerLimit, Knob::kCoreClock};
  allowance.power_limit_w = Bounds{200, 400};
  allowance.max_ttl = 1h;
  allowance.max_leases = 2;
  return allowance;
}

WriteWish Limit(double watts, std::chrono::seconds ttl = 60s, int held = 0) {
  return {kGpu, Setting::PowerLimit(Watts{watts}), ttl, held};
}

RC_GTEST_PROP(RightsTest, NobodyMayDoAnythingByDefault, (uid_t uid, const std::vector<gid_t>& gids)) {
  RC_PRE(uid != 0U);
  const auto watts = *rc::gen::inRange(1, 1000);
  const auto allowed = CheckRight({}, {1, uid, gids}, Limit(watts));
  RC_ASSERT(!allowed);
  RC_ASSERT(allowed.error().code == ErrorCode::kPermissionDenied);
}

RC_GTEST_PROP(RightsTest, NothingOutsideTheRangeIsEverAllowed, ()) {
  const auto watts = *rc::gen::inRange(1, 1000);
  const auto ttl = *rc::gen::inRange(1, 7200);
  const auto held = *rc::gen::inRange(0, 4);
  const bool allowed = CheckRight({Alice()}, {1, 1001, {}}, Limit(watts, std::chrono::seconds(ttl), held)).has_value();
  RC_ASSERT(allowed == (watts >= 200 && watts <= 400 && ttl <= 3600 && held < 2));
}

TEST(RightsTest, GroupsCountAsWellAsUsers) {
  EXPECT_TRUE(CheckRight({Alice()}, {1, 2000, {7, 50}}, Limit(300)));
  EXPECT_FALSE(CheckRight({Alice()}, {1, 2000, {7, 51}}, Limit(300)));
}

TEST(RightsTest, GpusAreNamedByIndexUuidOrStar) {
  for (const char* name : {"3", "GPU-abc", "*"}) {
    Allowance allowance = Alice();
    allowance.gpus = {name};
    EXPECT_TRUE(CheckRight({allowance}, {1, 1001, {}}, Limit(300))) << name;
  }
  for (const char* name : {"0", "33", "GPU-ab", "GPU-abcd", ""}) {
    Allowance allowance = Alice();
    allowance.gpus = {name};
    EXPECT_FALSE(CheckRight({allowance}, {1, 1001, {}}, Limit(300))) << name;
  }
}

TEST(RightsTest, BothEndsOfAClockLockMustBeInside) {
  Allowance allowance = Alice();
  allowance.core_clock_mhz = Bounds{600, 1200};
  const auto lock = [&](int low, int high) {
    const WriteWish wish{kGpu, Setting::Clock(Knob::kCoreClock, Megahertz(low), Megahertz(high)), 60s, 0};
    return CheckRight({allowance}, {1, 1001, {}}, wish).has_value();
  };
  EXPECT_TRUE(lock(600, 1200));
  EXPECT_FALSE(lock(599, 1200));
  EXPECT_FALSE(lock(600, 1201));
}

TEST(RightsTest, AKnobThatIsNotNamedIsNotAllowed) {
  const WriteWish wish{kGpu, Setting::Clock(Knob::kMemoryClock, Megahertz(2201), Megahertz(2201)), 60s, 0};
  EXPECT_THAT(CheckRight({Alice()}, {1, 1001, {}}, wish).error().Line(), HasSubstr("may not set its memory-clock"));
}

TEST(RightsTest, TwoHalvesDoNotAddUp) {
  Allowance low = Alice();
  Allowance lasting = Alice();
  lasting.power_limit_w = Bounds{300, 400};
  lasting.max_ttl = 24h;
  EXPECT_TRUE(CheckRight({low, lasting}, {1, 1001, {}}, Limit(200, 1h)));
  EXPECT_TRUE(CheckRight({low, lasting}, {1, 1001, {}}, Limit(300, 24h)));
  EXPECT_FALSE(CheckRight({low, lasting}, {1, 1001, {}}, Limit(200, 24h)));
}

TEST(RightsTest, ARefusalSaysWhatWouldBeAllowed) {
  const auto refused = CheckRight({Alice()}, {1, 1001, {}}, Limit(100));
  EXPECT_THAT(refused.error().Line(), HasSubstr("GPU 3: user 1001 may not set its power-limit to 100 W"));
  EXPECT_THAT(refused.error().Line(), HasSubstr("allowed: 200 to 400 W for up to 1 h, at most 2 leases"));
}

TEST(RightsTest, RootMayDoEverythingButFillTheMemory) {
  EXPECT_TRUE(CheckRight({}, {1, 0, {}}, Limit(100, 24h * 30, 1000)));
  EXPECT_FALSE(CheckRight({}, {1, 0, {}}, Limit(100, 60s, kMostLeases)));
}

TEST(RightsTest, CallersSeeWhatIsTheirs) {
  Allowance other = Alice();
  other.uids = {1002};
  other.gids = {};
  const io::Json rights = DescribeRights({Alice(), other}, {1, 1001, {}});
  EXPECT_EQ((*rights.Find("allowed")->Elements())->size(), 1U);
  EXPECT_THAT(rights.Line(), HasSubstr(R"("power_limit_w":[200,400])"));
}

}  // namespace
}  // namespace heliostat::agent
