#include "heliostat/signals/provider/answer_check.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace heliostat::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NanSensitiveDoubleEq;

constexpr Instant kStart{Duration{1'700'000'400 / 3600 * 3600}};
constexpr Duration kHour{3600};

AnswerRules Rules(signal::Kind kind = signal::Kind::kCarbonIntensity) {
  AnswerRules rules;
  rules.where = "provider x";
  rules.meaning.kind = kind;
  rules.meaning.unit = kind == signal::Kind::kPrice ? signal::Unit::kPerMwh : signal::Unit::kGramsPerKwh;
  rules.meaning.zone = "Z";
  rules.meaning.source = "provider:x";
  rules.span = {kStart, kStart + 24 * kHour};
  return rules;
}

AnswerValue At(int hour, double value) { return {kStart + hour * kHour, value}; }

void ExpectCorrupt(std::vector<AnswerValue> readings, const AnswerRules& rules, std::string_view why) {
  const auto signal = CheckReadings(std::move(readings), rules);
  ASSERT_FALSE(signal) << why;
  EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt) << signal.error().Line();
  EXPECT_THAT(signal.error().Line(), HasSubstr(std::string(why)));
}

TEST(CheckReadingsTest, OrdersAndFillsGapsWithMissing) {
  const auto signal = CheckReadings({At(4, 40), At(0, 10), At(1, 11), At(1, 11), At(2, signal::Missing())}, Rules());
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.start(), kStart);
  EXPECT_EQ(signal->series.step(), kHour);
  const double nan = std::nan("");
  EXPECT_THAT(signal->series.values(),
              ElementsAre(NanSensitiveDoubleEq(10), NanSensitiveDoubleEq(11), NanSensitiveDoubleEq(nan),
                          NanSensitiveDoubleEq(nan), NanSensitiveDoubleEq(40)));
  EXPECT_EQ(signal->name, "provider:x:Z");
}

TEST(CheckReadingsTest, NeverGivesMoreThanAsked) {
  auto rules = Rules();
  rules.span = {kStart + kHour / 2, kStart + 4 * kHour + kHour / 2};
  const auto signal = CheckReadings({At(-1, 1), At(0, 2), At(1, 3), At(2, 4), At(3, 5), At(4, 6), At(5, 7)}, rules);
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.span(), (Interval{kStart + kHour, kStart + 4 * kHour}));
  EXPECT_THAT(signal->series.values(), ElementsAre(3, 4, 5));
}

TEST(CheckReadingsTest, NothingIsNotFound) {
  for (const auto& readings :
       {std::vector<AnswerValue>{}, {At(0, signal::Missing()), At(1, signal::Missing())}, {At(100, 1), At(101, 1)}}) {
    const auto signal = CheckReadings(readings, Rules());
    ASSERT_FALSE(signal);
    EXPECT_EQ(signal.error().code, ErrorCode::kNotFound);
  }
}

TEST(CheckReadingsTest, RefusesATimeWithTwoValues) {
  ExpectCorrupt({At(0, 1), At(1, 2), At(1, 3)}, Rules(), "has two values");
}

TEST(CheckReadingsTest, RefusesMixedSteps) {
  ExpectCorrupt({At(0, 1), At(1, 2), {kStart + kHour + Duration{1500}, 3}}, Rules(), "mixes steps");
  // Quarters first, hours later: multiples of the step, but not gaps.
  std::vector<AnswerValue> readings;
  for (int i = 0; i < 8; ++i) readings.push_back({kStart + i * kHour / 4, 1.0});
  for (int i = 2; i < 7; ++i) readings.push_back(At(i, 1.0));
  ExpectCorrupt(readings, Rules(), "mixes steps");
  auto rules = Rules();
  rules.step = kHour;
  ExpectCorrupt({At(0, 1), {kStart + kHour / 2, 3}}, rules, "mixes steps");
}

TEST(CheckReadingsTest, RefusesValuesThatCannotBe) {
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectCorrupt({At(0, 1), At(1, -0.5)}, Rules(), "below zero");
  ExpectCorrupt({At(0, 1), At(1, 5001)}, Rules(), "unit may have changed");
  ExpectCorrupt({At(0, 1), At(1, infinity)}, Rules(), "finite");
  ExpectCorrupt({At(0, 1), At(1, -20'001)}, Rules(signal::Kind::kPrice), "unit may have changed");
  EXPECT_TRUE(CheckReadings({At(0, 1), At(1, -500)}, Rules(signal::Kind::kPrice)));
  // Outside the request, but it still indicates a changed unit.
  ExpectCorrupt({At(0, 1), At(1, 1), At(200, 400'000)}, Rules(), "unit may have changed");
}

TEST(CheckReadingsTest, SeesKilogramsWhereLifeCycleGramsBelong) {
  auto rules = Rules();
  EXPECT_TRUE(CheckReadings({At(0, 0.4), At(1, 0.3)}, rules));  // a direct intensity may be that low
  rules.meaning.basis = signal::Basis::kLifecycle;
  ExpectCorrupt({At(0, 0.4), At(1, 0.3)}, rules, "unit may have changed");
  EXPECT_TRUE(CheckReadings({At(0, 0.4), At(1, 12)}, rules));
}

TEST(CheckReadingsTest, RefusesMeasurementsOfTheFuture) {
  auto rules = Rules();
  rules.now = kStart + 2 * kHour;
  EXPECT_TRUE(CheckReadings({At(0, 1), At(1, 2), At(2, 3)}, rules));
  ExpectCorrupt({At(0, 1), At(1, 2), At(3, 3)}, rules, "after now");
  // Announced but not known yet: accepted.
  EXPECT_TRUE(CheckReadings({At(0, 1), At(1, 2), At(3, signal::Missing())}, rules));
  // With a clock that is a little slow, the newest value is dropped and the rest is kept.
  rules.now = kStart + 2 * kHour - Duration{5};
  const auto early = CheckReadings({At(0, 1), At(1, 2), At(2, 3)}, rules);
  ASSERT_TRUE(early) << early.error().Line();
  EXPECT_THAT(early->series.values(), ElementsAre(1, 2));
}

TEST(CheckReadingsTest, RefusesAnAbsurdNumberOfValues) {
  auto rules = Rules();
  rules.step = Duration{1};
  rules.span = {kStart, kStart + Duration{2 << 20}};
  ExpectCorrupt({At(0, 1), {kStart + Duration{(2 << 20) - 1}, 1}}, rules, "at most 1048576");
}

TEST(AnswerTextTest, ReadsTimesWithAndWithoutFraction) {
  const auto json = *io::Json::Parse(R"({"a": "2022-04-07T15:32:21.002Z", "b": "2022-04-07T15:32Z"})", "x");
  EXPECT_FALSE(TimeOf(json, "a"));
  EXPECT_EQ(FormatInstant(*TimeOf(json, "a", false)), "2022-04-07T15:32:21Z");
  EXPECT_EQ(FormatInstant(*TimeOf(json, "b")), "2022-04-07T15:32:00Z");
  EXPECT_EQ(TimeOf(json, "c").error().code, ErrorCode::kCorrupt);
}

TEST(AnswerTextTest, RefusesAForecastFromTheFuture) {
  EXPECT_TRUE(CheckIssued(kStart, kStart, "x"));
  EXPECT_FALSE(CheckIssued(kStart + Duration{61}, kStart, "x"));
}

}  // namespace
}  // namespace heliostat::provider
