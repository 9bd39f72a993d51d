#include "heliostat/core/units.h"

#include <gtest/gtest.h>

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

// The reason the types exist: mistakes that do not compile.
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

}  // namespace
}  // namespace heliostat
