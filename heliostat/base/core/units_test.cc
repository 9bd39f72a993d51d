#include "heliostat/base/core/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace heliostat {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};

// The purpose of the types: these mistakes do not compile.
static_assert(Addable<Watts, Watts>);
static_assert(!Addable<Watts, Joules>);
static_assert(!Addable<Grams, CarbonIntensity>);
static_assert(!Addable<Watts, double>);
static_assert(!Comparable<Hertz, Watts>);
static_assert(!std::is_convertible_v<double, Watts>);
static_assert(!std::is_convertible_v<Watts, double>);

TEST(UnitsTest, PowerTimesTimeIsEnergy) {
  EXPECT_DOUBLE_EQ(InKilowattHours(Kilowatts(2) * std::chrono::hours{3}), 6.0);
  EXPECT_DOUBLE_EQ((KilowattHours(6) / Seconds{3600}).value, 6000.0);
}

TEST(UnitsTest, EnergyTimesIntensityIsCarbon) {
  EXPECT_DOUBLE_EQ(InKilograms(KilowattHours(10) * GramsPerKwh(250)), 2.5);
  EXPECT_DOUBLE_EQ(InGramsPerKwh(Grams{2500} / KilowattHours(10)), 250.0);
}

TEST(UnitsTest, CurrencyIsThreeCapitalLetters) {
  EXPECT_EQ(Currency::Parse("KRW")->code(), "KRW");
  for (const char* bad : {"", "EU", "EURO", "eur", "E1R"}) EXPECT_FALSE(Currency::Parse(bad)) << bad;
}

RC_GTEST_PROP(UnitsLaws, EveryUnitIsWrittenAsItIsRead, ()) {
  const double x = *rc::gen::inRange(-1000000, 1000000) / 64.0;
  RC_ASSERT(std::abs(InKilowatts(Kilowatts(x)) - x) <= 1e-12 * std::abs(x));
  RC_ASSERT(std::abs(InKilowattHours(KilowattHours(x)) - x) <= 1e-12 * std::abs(x));
  RC_ASSERT(std::abs(InMegahertz(Megahertz(x)) - x) <= 1e-12 * std::abs(x));
  RC_ASSERT(std::abs(InGramsPerKwh(GramsPerKwh(x)) - x) <= 1e-12 * std::abs(x));
}

RC_GTEST_PROP(UnitsLaws, EnergyPowerAndTimeAgreeAllThreeWays, ()) {
  const Watts power{*rc::gen::inRange(1, 100000) / 8.0};
  const Seconds time{*rc::gen::inRange(1, 100000) / 8.0};
  const Joules energy = power * time;
  RC_ASSERT(energy == time * power);
  RC_ASSERT(std::abs((energy / time).value - power.value) <= 1e-12 * power.value);
  RC_ASSERT(std::abs((energy / power).count() - time.count()) <= 1e-12 * time.count());
}

TEST(UnitsTest, QuantitiesAddAndCompareAsTheirNumbers) {
  Watts sum{3};
  sum += Watts{4};
  sum -= Watts{2};
  EXPECT_EQ(sum, Watts{5});
  EXPECT_EQ(-sum + sum, Watts{});
  EXPECT_EQ(2 * sum, sum * 2);
  EXPECT_EQ(sum / 2, Watts{2.5});
  EXPECT_DOUBLE_EQ(Kilowatts(1) / Watts{250}, 4);
  EXPECT_LT(Watts{1}, Watts{2});
}

RC_GTEST_PROP(CurrencyLaws, OnlyThreeCapitalLettersAreACode, (const std::string& text)) {
  const bool is_code = text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  RC_ASSERT(Currency::Parse(text).has_value() == is_code);
}

TEST(UnitsTest, CurrenciesAreEqualByCode) {
  EXPECT_EQ(Currency::Parse("USD"), Currency::Usd());
  EXPECT_EQ(Currency::Parse("EUR"), Currency::Eur());
  EXPECT_NE(Currency::Usd(), Currency::Eur());
}

}  // namespace
}  // namespace heliostat
