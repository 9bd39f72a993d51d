#include "heliostat/forecasting/auto_parts/value_space.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::auto_parts {
namespace {

using signal::Kind;
using Scale = ValueSpace::Scale;

ValueSpace SpaceOf(Kind kind, const std::vector<double>& values) {
  signal::Meaning meaning;
  meaning.kind = kind;
  return ValueSpace::Of(meaning, values);
}

TEST(ValueSpaceTest, FollowsWhatIsMeasured) {
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {300, 200, 450}).scale(), Scale::kLogarithm);
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {300, 0, 450}).scale(), Scale::kSquareRoot);
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {300, 2, 450}).scale(), Scale::kSquareRoot) << "a stray near-zero";
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {0, 0, 0}).scale(), Scale::kSquareRoot);
  EXPECT_EQ(SpaceOf(Kind::kPower, {0, 20, 300}).scale(), Scale::kSquareRoot);
  EXPECT_EQ(SpaceOf(Kind::kCapacityFactor, {0.1, 0.2}).scale(), Scale::kSquareRoot);
  EXPECT_EQ(SpaceOf(Kind::kPrice, {20, 30, 40}).scale(), Scale::kArcSinh);
  EXPECT_EQ(SpaceOf(Kind::kPrice, {-20, 30, 40}).scale(), Scale::kArcSinh);
  EXPECT_EQ(SpaceOf(Kind::kOther, {-1, 1}).scale(), Scale::kArcSinh);
}

TEST(ValueSpaceTest, IgnoresWhatIsMissing) {
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {300, signal::Missing(), 450}).scale(), Scale::kLogarithm);
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {}).scale(), Scale::kArcSinh);
  EXPECT_EQ(SpaceOf(Kind::kCarbonIntensity, {signal::Missing()}).scale(), Scale::kArcSinh);
}

RC_GTEST_PROP(ValueSpaceLaw, ThereAndBackIsTheSame, ()) {
  const Kind kind = *rc::gen::element(Kind::kCarbonIntensity, Kind::kPower, Kind::kPrice);
  const int lowest = kind == Kind::kPrice ? -500000 : kind == Kind::kPower ? 0 : 100000;
  const auto raw = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(lowest, 900000)));
  std::vector<double> values;
  for (const int one : raw) values.push_back(one / 1000.0);
  const auto space = SpaceOf(kind, values);
  double before = -INFINITY;
  std::ranges::sort(values);
  for (const double value : values) {
    const double scaled = space.To(value);
    RC_ASSERT(std::abs(space.From(scaled) - value) <= 1e-9 * std::max(1.0, std::abs(value)));
    RC_ASSERT(scaled >= before);
    before = scaled;
  }
}

TEST(ValueSpaceTest, ErrsAsAUserFeelsIt) {
  const auto carbon = SpaceOf(Kind::kCarbonIntensity, {300, 200, 450});
  EXPECT_NEAR(carbon.Error(carbon.To(330), carbon.To(300)), 0.1, 1e-12);
  EXPECT_NEAR(carbon.Error(carbon.To(150), carbon.To(300)), 0.5, 1e-12);
  const auto price = SpaceOf(Kind::kPrice, {-20, 30, 90});
  EXPECT_NEAR(price.Error(price.To(-10), price.To(15)), 25, 1e-9);
  const auto power = SpaceOf(Kind::kPower, {0, 100, 400});
  EXPECT_NEAR(power.Error(power.To(100), power.To(400)), 300, 1e-9);
  EXPECT_EQ(power.Error(-3, 0), 0) << "below nothing is nothing";
}

TEST(ValueSpaceTest, StaysFiniteWhenLaterValuesLeaveTheRange) {
  const auto carbon = SpaceOf(Kind::kCarbonIntensity, {300, 200, 450});
  for (const double value : {0.0, -5.0, 1e-9}) {
    EXPECT_TRUE(std::isfinite(carbon.To(value)));
    EXPECT_LT(carbon.To(value), carbon.To(10));
  }
  const auto power = SpaceOf(Kind::kPower, {0, 100, 400});
  EXPECT_EQ(power.To(-1), 0);
  EXPECT_EQ(power.From(-1), 0);
}

TEST(ValueSpaceTest, TakesASeriesThatNeverChanges) {
  const auto price = SpaceOf(Kind::kPrice, {40, 40, 40});
  EXPECT_EQ(price.From(price.To(40)), 40);
  EXPECT_NEAR(price.From(price.To(-7)), -7, 1e-12);
}

TEST(ValueSpaceTest, ComesBackFromWhatItSaved) {
  for (const auto& space : {SpaceOf(Kind::kCarbonIntensity, {300, 200, 450}), SpaceOf(Kind::kPower, {0, 1}),
                            SpaceOf(Kind::kPrice, {-20, 30.1, 90})}) {
    const auto loaded = ValueSpace::Load(*io::Json::Parse(space.Save().Dump(), "saved.json"));
    ASSERT_TRUE(loaded) << loaded.error().Line();
    EXPECT_EQ(loaded->scale(), space.scale());
    for (const double value : {-3.0, 0.0, 17.3}) EXPECT_EQ(loaded->To(value), space.To(value));
  }
  for (const char* text :
       {"{}", "3", R"({"scale": "cubic", "centre": 0, "width": 1})",
        R"({"scale": "arc-sinh", "centre": 0, "width": 0})", R"({"scale": "logarithm", "centre": 0, "width": 1})",
        R"({"scale": "arc-sinh", "centre": 0})"}) {
    EXPECT_FALSE(ValueSpace::Load(*io::Json::Parse(text, "saved.json"))) << text;
  }
}

}  // namespace
}  // namespace heliostat::auto_parts
