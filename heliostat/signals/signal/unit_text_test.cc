#include "heliostat/signals/signal/unit_text.h"

#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

struct Named {
  std::string_view name;
  std::string_view text;  // empty: no unit
  Kind kind = Kind::kOther;
  double factor = 1.0;
  std::string_view currency{};
};

TEST(UnitTextTest, AColumnNameSaysItsUnit) {
  const Named names[] = {
      {"price_eur_per_mwh", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"price_eur_mwh", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"EUR/MWh", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"price [€/MWh]", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"Day-ahead Price [EUR/MWh]", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"LBMP ($/MWHr)", "USD/MWh", Kind::kPrice, 1, "USD"},
      {"RRP A$/MWh", "AUD/MWh", Kind::kPrice, 1, "AUD"},
      {"priceUsdPerKwh", "USD/kWh", Kind::kPrice, 1, "USD"},
      {"Euro per megawatt hour", "EUR/MWh", Kind::kPrice, 1, "EUR"},
      {"price ct/kWh", "ct/kWh", Kind::kPrice, 0.01, ""},
      {"Preis in c€/kWh", "EUR ct/kWh", Kind::kPrice, 0.01, "EUR"},
      {"EUR cent per kWh", "EUR ct/kWh", Kind::kPrice, 0.01, "EUR"},
      {"eurcent_per_kwh", "EUR ct/kWh", Kind::kPrice, 0.01, "EUR"},
      {"unit rate p/kWh", "p/kWh", Kind::kPrice, 0.01, "GBP"},
      {"pence per kwh", "GBP ct/kWh", Kind::kPrice, 0.01, "GBP"},
      {"price_per_kwh", "money/kWh", Kind::kPrice, 1, ""},
      {"price_mwh", "money/MWh", Kind::kPrice, 1, ""},
      {"carbon_g_per_kwh", "g/kWh", Kind::kCarbonIntensity, 1},
      {"carbon_lb_per_mwh", "lb/MWh", Kind::kCarbonIntensity, 0.45359237},
      {"MOER (lbs CO2/MWh)", "lb/MWh", Kind::kCarbonIntensity, 0.45359237},
      {"lbs_co2_per_mwh", "lb/MWh", Kind::kCarbonIntensity, 0.45359237},
      {"gCO2eq/kWh", "g/kWh", Kind::kCarbonIntensity, 1},
      {"Carbon intensity gCO₂eq/kWh (direct)", "g/kWh", Kind::kCarbonIntensity, 1},
      {"g CO2-eq per kWh", "g/kWh", Kind::kCarbonIntensity, 1},
      {"kgCO2/MWh", "kg/MWh", Kind::kCarbonIntensity, 1},
      {"co2_t_per_mwh", "t/MWh", Kind::kCarbonIntensity, 1000},
      {"tCO2e/MWh", "t/MWh", Kind::kCarbonIntensity, 1000},
      {"kg/kWh", "kg/kWh", Kind::kCarbonIntensity, 1000},
      {"Wind Onshore [MW]", "MW", Kind::kPower, 1},
      {"pv_w", "W", Kind::kPower, 1},
      {"output GW", "GW", Kind::kPower, 1000},
      {"Photovoltaik [MWh]", "MWh", Kind::kPower, 1},
      {"renewable %", "%", Kind::kShare, 1},
      {"wind_capacity_factor", "per unit", Kind::kCapacityFactor, 1},
      // No unit, or none that is known.
      {"price", ""},
      {"carbon_intensity", ""},
      {"carbon per kWh", ""},
      {"price [EUR/MW]", ""},
      {"irradiance [W/m²]", ""},
      {"requests_per_s", ""},
      {"Window", ""},
      {"", ""},
  };
  for (const Named& one : names) {
    SCOPED_TRACE(one.name);
    const auto found = UnitInName(one.name);
    ASSERT_EQ(found.has_value(), !one.text.empty()) << (found ? found->text : "nothing");
    if (!found) continue;
    EXPECT_EQ(found->text, one.text);
    EXPECT_EQ(found->kind, one.kind);
    EXPECT_DOUBLE_EQ(found->factor, one.factor);
    EXPECT_EQ(found->currency ? found->currency->code() : "", one.currency);
  }
}

TEST(UnitTextTest, EnergyOfAStepIsNotPower) {
  EXPECT_TRUE(UnitInName("Photovoltaik [MWh]")->is_energy_per_step);
  EXPECT_FALSE(UnitInName("Photovoltaik [MW]")->is_energy_per_step);
  EXPECT_EQ(UnitInName("System Production (Wh)")->unit, Unit::kWatt);
}

TEST(UnitTextTest, AUserWritesAUnitAndNothingElse) {
  EXPECT_EQ(ParseUnit("EUR/MWh", "unit")->unit, Unit::kPerMwh);
  EXPECT_EQ(ParseUnit("ct/kWh", "unit")->factor, 0.01);
  EXPECT_EQ(ParseUnit("lb/MWh", "unit")->text, "lb/MWh");
  EXPECT_EQ(ParseUnit("gCO2e/kWh", "unit")->kind, Kind::kCarbonIntensity);
  EXPECT_EQ(ParseUnit("kW", "unit")->unit, Unit::kKilowatt);
  EXPECT_TRUE(ParseUnit("$/MWh", "unit")->has_assumed_currency);
  EXPECT_EQ(ParseUnit("furlong", "option 'unit'").error().Line().substr(0, 46),
            "option 'unit': 'furlong' is not a known unit; ");
  EXPECT_FALSE(ParseUnit("", "unit"));
  EXPECT_FALSE(ParseUnit("EUR", "unit"));
  EXPECT_FALSE(ParseUnit("price per kWh", "unit"));
}

TEST(UnitTextTest, WhatIsPrintedIsReadAgain) {
  for (const char* text : {"EUR/MWh", "USD/kWh", "EUR ct/kWh", "p/kWh", "g/kWh", "kg/MWh", "lb/MWh", "t/MWh", "W", "kW",
                           "MW", "GW", "MWh", "%", "per unit"}) {
    EXPECT_EQ(ParseUnit(text, "unit")->text, text);
  }
}

TEST(UnitTextTest, WordsSuggestAQuantityWithoutAUnit) {
  EXPECT_EQ(KindInName("Spot Price"), Kind::kPrice);
  EXPECT_EQ(KindInName("carbon_intensity"), Kind::kCarbonIntensity);
  EXPECT_EQ(KindInName("marketPrice"), Kind::kPrice);
  EXPECT_EQ(KindInName("Solar"), Kind::kPower);
  EXPECT_EQ(KindInName("id"), Kind::kOther);
}

std::string LooksLike(std::string_view unit, std::vector<double> cells, std::string_view currency = "") {
  return UnitItLooksLike(*ParseUnit(unit, "unit"), Currency::Parse(currency), cells);
}

TEST(UnitTextTest, ValuesThatContradictTheUnitAreRecognised) {
  const std::vector<double> wholesale{85, 91.5, 60, -3, 0, 120, 84, 77};
  const std::vector<double> retail{0.31, 0.29, 0.33, 0.3, 0.35, 0.28};
  EXPECT_EQ(LooksLike("EUR/kWh", wholesale), "EUR/MWh");
  EXPECT_EQ(LooksLike("EUR/MWh", wholesale), "");
  EXPECT_EQ(LooksLike("EUR/kWh", retail), "");
  EXPECT_EQ(LooksLike("EUR/MWh", retail), "EUR/kWh");
  EXPECT_EQ(LooksLike("JPY/kWh", {12, 15, 9, 20, 31, 14}), "");  // a yen is less than a cent
  EXPECT_EQ(LooksLike("KRW/MWh", {144306, 150000, 130000, 120000, 99000, 140000}), "");
  EXPECT_EQ(LooksLike("ct/kWh", {30, 31, 29, 33, 28, 30}), "");
  EXPECT_EQ(LooksLike("ct/kWh", {30, 31, 29, 33, 28, 30}, "EUR"), "");
  EXPECT_EQ(LooksLike("g/kWh", {0.31, 0.29, 0.33, 0.3, 0.35, 0.28}), "t/MWh or kg/kWh");
  EXPECT_EQ(LooksLike("t/MWh", {310, 290, 330, 300, 350, 280}), "g/kWh");
  EXPECT_EQ(LooksLike("lb/MWh", {900, 1100, 870, 990, 1200, 800}), "");
  EXPECT_EQ(LooksLike("g/kWh", {300, 290}), "");
  // Spikes of a real market do not make a unit.
  std::vector<double> spikes(100, 0.08);
  spikes[50] = 16.2;
  EXPECT_EQ(LooksLike("AUD/kWh", spikes), "");
}

}  // namespace
}  // namespace heliostat::signal
