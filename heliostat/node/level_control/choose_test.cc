#include "heliostat/node/level_control/choose.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/node/level_control/level.h"
#include "heliostat/node/level_control/testing/made_options.h"

namespace heliostat::level_control {
namespace {

using testing::A40Options;
using testing::AnyOptions;

double Share() { return 0.001 * *rc::gen::inRange(0, 1001); }

TEST(LevelTest, KnobsAreReadAsTheyAreWritten) {
  for (const Knob knob : {Knob::kPowerLimit, Knob::kCoreClock, Knob::kPace}) {
    EXPECT_EQ(ParseKnob(NameOf(knob), "--knob").value(), knob);
  }
  EXPECT_FALSE(ParseKnob("fan", "--knob"));
  EXPECT_EQ((Level{Knob::kPowerLimit, 225}.Text()), "225 W");
  EXPECT_EQ((Level{Knob::kPace, 0.8}.Text()), "80 % of the time");
}

TEST(ChooseTest, TheA40IsSetAsPublished) {
  const std::vector<LevelOption> options = A40Options();
  const auto limit = [&options](double eta, double carbon) {
    const EtaCost cost{eta, Watts{300}, GramsPerKwh(750).value};
    return options[ChooseByEta(options, cost, GramsPerKwh(carbon).value)].level;
  };
  EXPECT_EQ(limit(0.25, 200), 300);
  EXPECT_EQ(limit(0.25, 550), 250);
  EXPECT_EQ(limit(0.25, 750), 225);
  EXPECT_EQ(limit(0.30, 400), 250);
  EXPECT_EQ(limit(0.30, 620), 225);
  EXPECT_EQ(limit(0.50, 200), 250);
  EXPECT_EQ(limit(0.50, 620), 200);
}

RC_GTEST_PROP(ChooseTest, ACleanerHourIsAsIfTimeWereWorthMore, ()) {
  const auto options = *AnyOptions();
  const double eta = 0.999 * Share();
  const double share = Share();
  const EtaCost mine{eta, Watts{300}, 700.0};
  // With energy at `share` of its highest cost, equation 6 chooses as a carbon-blind chooser (Zeus) does with this eta.
  const EtaCost zeus{eta * share / (eta * share + 1.0 - eta), Watts{300}, 700.0};
  const LevelOption& a = options[ChooseByEta(options, mine, share * 700.0)];
  const LevelOption& b = options[ChooseByEta(options, zeus, 700.0)];
  // Equal but for rounding: the two may differ only where both cost the same.
  RC_ASSERT(mine.At(a.speed, a.power, share * 700.0) >= mine.At(b.speed, b.power, share * 700.0) * (1.0 - 1e-12));
}

RC_GTEST_PROP(ChooseTest, DearerEnergyNeverRaisesTheLevel, ()) {
  const auto options = *AnyOptions();
  const EtaCost cost{Share(), Watts{300}, 700.0};
  double before = options.back().level;
  // From free energy on, with which the fastest is best unless time counts nothing.
  for (const double now : {1.0, 50.0, 200.0, 500.0, 700.0, 900.0}) {
    const LevelOption& chosen = options[ChooseByEta(options, cost, now)];
    RC_ASSERT(chosen.level <= before);
    before = chosen.level;
  }
}

RC_GTEST_PROP(ChooseTest, WhereOnlyTimeCountsTheFastestIsTaken, ()) {
  const auto options = *AnyOptions();
  RC_ASSERT(ChooseByEta(options, {0.0, Watts{300}, 700.0}, 500.0) == FastestOf(options));
}

TEST(ChooseTest, PacingSavesNoEnergyAndIsNotChosen) {
  const auto options = testing::PacedOptions();
  EXPECT_FALSE(SavesEnergy(options));
  EXPECT_TRUE(SavesEnergy(A40Options()));
  for (const double eta : {0.0, 0.3, 0.7, 1.0}) {
    EXPECT_EQ(options[ChooseByEta(options, {eta, Watts{700}, 600.0}, 500.0)].level, 1.0);
  }
}

TEST(ChooseTest, CarbonAndMoneyAddUpByTheirWeights) {
  EXPECT_DOUBLE_EQ(CostPerJoule({}, CarbonIntensity{3.0}, 5.0), 3.0);
  EXPECT_DOUBLE_EQ(CostPerJoule({0.0, 2.0}, CarbonIntensity{3.0}, 5.0), 10.0);
  EXPECT_DOUBLE_EQ(CostPerJoule({0.5, 2.0}, CarbonIntensity{3.0}, 5.0), 11.5);
}

}  // namespace
}  // namespace heliostat::level_control
