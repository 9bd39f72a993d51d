#include "heliostat/node/ledger/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "heliostat/node/ledger/testing/plausible_run.h"

namespace heliostat::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

io::Json Reread(const io::Json& json) { return *io::Json::Parse(json.Line(), "record"); }

RC_GTEST_PROP(RecordLaw, WhatIsWrittenIsReadToTheLastBit, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed, 4);
  UnknownKeys unknown;
  RC_ASSERT(*ReadBegin(Reread(ToJson(run.begin)), unknown) == run.begin);
  for (const Period& period : run.periods) {
    RC_ASSERT(*ReadPeriod(Reread(ToJson(period)), unknown) == period);
    RC_ASSERT(CheckPeriod(period, run.begin, "").has_value());
  }
  RC_ASSERT(*ReadNote(Reread(ToJson(run.notes[0])), unknown) == run.notes[0]);
  RC_ASSERT(*ReadEnd(Reread(ToJson(*run.end)), unknown) == *run.end);
  RC_ASSERT(unknown.empty());
}

RC_GTEST_PROP(RecordLaw, AMemberOfTheWrongKindIsRefusedByName, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed, 3);
  const io::Json json = ToJson(run.periods.back());
  const auto& members = **json.Members();
  const auto& key = members[*rc::gen::inRange<std::size_t>(1, members.size())].first;
  io::Json wrong = json;
  wrong.Set(key, io::Json().Append(io::Json(io::Json::Array{})));  // a list in a list: no member is one
  UnknownKeys unknown;
  const auto period = ReadPeriod(Reread(wrong), unknown);
  RC_ASSERT(!period);
  RC_ASSERT(period.error().Line().find(key) != std::string::npos);
}

RC_GTEST_PROP(RecordLaw, AMemberThatIsMissingIsNamedOrMayBeAbsent, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed, 3);
  const io::Json json = ToJson(run.periods.back());
  const auto& members = **json.Members();
  const auto gone = *rc::gen::inRange<std::size_t>(1, members.size());
  io::Json rest;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != gone) rest.Set(members[i].first, members[i].second);
  }
  UnknownKeys unknown;
  const auto period = ReadPeriod(Reread(rest), unknown);
  if (!period) {
    RC_ASSERT(period.error().Line().find(members[gone].first) != std::string::npos);
  } else {
    RC_ASSERT(*period != run.periods.back());
  }
}

TEST(RecordTest, MembersOfANewerVersionAreToldAndLeftAlone) {
  io::Json json = ToJson(PlausibleRun(1).periods.back());
  json.Set("moon_phase", 0.5);
  UnknownKeys unknown;
  ASSERT_TRUE(ReadPeriod(Reread(json), unknown));
  EXPECT_THAT(unknown, ElementsAre("moon_phase"));
}

TEST(RecordTest, RefusesWhatCannotBe) {
  const ledger::Run run = PlausibleRun(1);
  const auto refused = [&](auto spoil) {
    Period period = run.periods.back();
    spoil(period);
    const auto status = CheckPeriod(period, run.begin, "here");
    return status ? std::string() : status.error().Line();
  };
  EXPECT_THAT(refused([](Period&) {}), IsEmpty());
  EXPECT_THAT(refused([](Period& p) { p.energy.pop_back(); }), HasSubstr("here: energy_j"));
  EXPECT_THAT(refused([](Period& p) { p.energy[0] = Joules{-1}; }), HasSubstr("energy_j"));
  EXPECT_THAT(refused([](Period& p) { p.energy[0] = Joules{std::numeric_limits<double>::quiet_NaN()}; }),
              HasSubstr("energy_j"));
  EXPECT_THAT(refused([](Period& p) { p.end = p.start - Duration(1); }), HasSubstr("before the start"));
  EXPECT_THAT(refused([](Period& p) { p.steps = -1; }), HasSubstr("steps"));
  EXPECT_THAT(refused([](Period& p) { p.carbon_g_per_kwh = -5; }), HasSubstr("carbon_g_per_kwh"));
  EXPECT_THAT(refused([](Period& p) { p.aside = p.elapsed * 2; }), HasSubstr("aside_s"));
  EXPECT_THAT(refused([](Period& p) { p.aside_energy = p.total_energy() * 2; }), HasSubstr("aside_energy_j"));
  EXPECT_THAT(refused([](Period& p) { p.at_default->steps_per_s.value = 0; }), HasSubstr("at_default: steps_per_s"));
  Begin plain = run.begin;
  plain.currency.reset();
  Period priced = run.periods.back();
  priced.price_per_kwh = 0.3;
  EXPECT_THAT(CheckPeriod(priced, plain, "here").error().Line(), HasSubstr("no currency"));
}

TEST(RecordTest, FreshnessSaysHowStale) {
  EXPECT_EQ(TextOf(Freshness::kMeasured, Duration(900)), "measured");
  EXPECT_EQ(TextOf(Freshness::kStale, Duration(900)), "stale by 15 min");
}

TEST(RecordTest, MeansOfNoTimeAreZero) {
  const Period nothing;
  EXPECT_EQ(nothing.mean_power().value, 0.0);
  EXPECT_EQ(nothing.mean_steps_per_s(), 0.0);
}

}  // namespace
}  // namespace heliostat::ledger
