#include "heliostat/signal/typed.h"

#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

Signal Make(Kind kind, Unit unit, std::vector<double> values) {
  Meaning meaning;
  meaning.kind = kind;
  meaning.unit = unit;
  return {"x", meaning, *StepSeries::Make(Instant{}, 1h, std::move(values))};
}

TEST(TypedTest, GivesNumbersTheirDimensionBack) {
  EXPECT_DOUBLE_EQ(
      InGramsPerKwh(*AsCarbonIntensity(Make(Kind::kCarbonIntensity, Unit::kGramsPerKwh, {300}))->At(Instant{})), 300);
  EXPECT_DOUBLE_EQ(AsPower(Make(Kind::kPower, Unit::kMegawatt, {2}))->At(Instant{})->value, 2e6);
}

TEST(TypedTest, PricesNeedACurrency) {
  Signal price = Make(Kind::kPrice, Unit::kPerMwh, {80, 120});
  EXPECT_FALSE(AsPrice(price));
  price.meaning.currency = Currency::Eur();
  const EnergyPrice mean = *AsPrice(price)->Mean({Instant{}, Instant{} + 2h});
  EXPECT_DOUBLE_EQ(InPerKwh(mean), 0.1);
  EXPECT_EQ(mean.currency.code(), "EUR");
}

TEST(TypedTest, RefusesAnotherKind) {
  EXPECT_EQ(AsPower(Make(Kind::kCarbonIntensity, Unit::kGramsPerKwh, {1})).error().Line(),
            "column 'x': is carbon intensity in gCO2e/kWh; must be power");
}

}  // namespace
}  // namespace heliostat::signal
