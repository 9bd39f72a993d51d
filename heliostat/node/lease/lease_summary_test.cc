#include "heliostat/node/lease/lease_summary.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::lease {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

device::Setting AnySetting() {
  const auto knob = *rc::gen::element(device::Knob::kPowerLimit, device::Knob::kCoreClock, device::Knob::kMemoryClock);
  if (*rc::gen::arbitrary<bool>()) return device::Setting::Default(knob);
  const auto high = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  const auto low = knob == device::Knob::kPowerLimit ? high : *rc::gen::inRange<std::int64_t>(1, high + 1);
  return {knob, false, low, high};
}

Lease AnyLease() {
  Lease lease;
  lease.id = "51a7ed00-" + std::to_string(*rc::gen::inRange(1, 1000));
  lease.gpu = "GPU-" + std::to_string(*rc::gen::inRange(0, 100));
  lease.owner.uid = *rc::gen::inRange<uid_t>(0, 4'000'000'000U);
  lease.owner.user = *rc::gen::element<std::string>("", "ada", "\"quoted\"\n");
  if (*rc::gen::arbitrary<bool>()) lease.owner.process = Process{*rc::gen::inRange(1, 4'000'000), 7};
  lease.owner.job = *rc::gen::element<std::string>("", "night", "ünïcode");
  lease.wanted = AnySetting();
  lease.previous = AnySetting();
  lease.granted = Instant(seconds(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000)));
  lease.expires = seconds(*rc::gen::inRange<std::int64_t>(0, 1'000'000));
  lease.state =
      *rc::gen::element(LeaseState::kInForce, LeaseState::kOutdone, LeaseState::kOverridden, LeaseState::kWaiting);
  return lease;
}

RC_GTEST_PROP(SummaryTest, AGrantWrittenAndReadIsTheSame, ()) {
  const Grant grant{SummaryOf(AnyLease(), seconds(500)),
                    {AnySetting(), AnySetting(),
                     *rc::gen::element(device::SetOutcome::kAsAsked, device::SetOutcome::kClamped,
                                       device::SetOutcome::kIgnored, device::SetOutcome::kUnverified)}};
  const auto json = io::Json::Parse(Describe(grant).Line(), "agent");
  RC_ASSERT(json.has_value());
  const auto read = ReadGrant(*json);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == grant);
}

RC_GTEST_PROP(SummaryTest, AListKeepsNumberAndOrder, ()) {
  std::vector<LeaseSummary> leases;
  for (int left = *rc::gen::inRange(0, 5); left > 0; --left) leases.push_back(SummaryOf(AnyLease(), seconds(0)));
  const auto json = io::Json::Parse(Describe(leases).Line(), "agent");
  RC_ASSERT(json.has_value());
  RC_ASSERT(ReadSummaries(*json).value() == leases);
}

TEST(SummaryTest, TimeLeftIsCountedFromNowAndNeverBelowZero) {
  Lease lease;
  lease.expires = seconds(1000);
  EXPECT_EQ(SummaryOf(lease, seconds(400)).left, seconds(600));
  EXPECT_EQ(SummaryOf(lease, seconds(1001)).left, seconds(0));
}

TEST(SummaryTest, BrokenOnesAreRefusedWithTheirPlace) {
  const std::string good = Describe(SummaryOf(Lease{}, seconds(0))).Line();
  ASSERT_TRUE(ReadSummary(*io::Json::Parse(good, "agent")));
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string text = good;
    const auto at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part << " in " << good;
    return ReadSummary(*io::Json::Parse(text.replace(at, part.size(), other), "agent"));
  };
  for (const auto& [part, other] :
       std::vector<std::pair<std::string, std::string>>{{"\"id\":", "\"name\":"},
                                                        {"\"uid\":0", "\"uid\":-1"},
                                                        {"\"uid\":0", "\"uid\":4294967296"},
                                                        {"\"pid\":null", "\"pid\":\"7\""},
                                                        {"in-force", "in-love"},
                                                        {"1970-01-01", "1970-13-01"},
                                                        {"\"expires_in_s\":0", "\"expires_in_s\":-5"},
                                                        {"\"knob\":\"power-limit\"", "\"knob\":\"volume\""}}) {
    const auto read = with(part, other);
    ASSERT_FALSE(read) << other;
    EXPECT_THAT(read.error().Line(), HasSubstr("agent")) << other;
  }
}

}  // namespace
}  // namespace heliostat::lease
