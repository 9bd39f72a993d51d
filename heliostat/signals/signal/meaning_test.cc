#include "heliostat/signals/signal/meaning.h"

#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

TEST(MeaningTest, CanonicalNamesCarryTheirUnit) {
  EXPECT_EQ(MeaningOfCanonicalName("carbon_g_per_kwh").kind, Kind::kCarbonIntensity);
  EXPECT_EQ(MeaningOfCanonicalName("DE_carbon_g_per_kwh").unit, Unit::kGramsPerKwh);
  EXPECT_EQ(MeaningOfCanonicalName("renewable_kw").unit, Unit::kKilowatt);
  EXPECT_EQ(MeaningOfCanonicalName("wind_mw").unit, Unit::kMegawatt);
  EXPECT_EQ(MeaningOfCanonicalName("price_per_kwh").kind, Kind::kPrice);
  EXPECT_EQ(MeaningOfCanonicalName("snow").kind, Kind::kOther);
}

TEST(MeaningTest, EveryKindConvertsToItsCanonicalUnit) {
  EXPECT_DOUBLE_EQ(ToCanonical(Kind::kPower, Unit::kMegawatt).factor, 1000);
  EXPECT_DOUBLE_EQ(ToCanonical(Kind::kPower, Unit::kWatt).factor, 0.001);
  EXPECT_DOUBLE_EQ(ToCanonical(Kind::kPrice, Unit::kPerMwh).factor, 0.001);
  // A canonical column name that is read back has the meaning for which it was written.
  for (const Kind kind : {Kind::kCarbonIntensity, Kind::kPower, Kind::kPrice, Kind::kCapacityFactor, Kind::kShare}) {
    const auto canonical = ToCanonical(kind, Unit::kNone);
    EXPECT_EQ(MeaningOfCanonicalName(canonical.column).kind, kind) << canonical.column;
    EXPECT_EQ(MeaningOfCanonicalName(canonical.column).unit, canonical.unit) << canonical.column;
  }
}

TEST(MeaningTest, PricesNameTheirCurrency) {
  Meaning meaning;
  meaning.unit = Unit::kPerMwh;
  EXPECT_EQ(UnitText(meaning), "?/MWh");
  meaning.currency = Currency::Eur();
  EXPECT_EQ(UnitText(meaning), "EUR/MWh");
}

}  // namespace
}  // namespace heliostat::signal
