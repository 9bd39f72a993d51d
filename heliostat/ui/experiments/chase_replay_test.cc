#include "heliostat/ui/experiments/chase_replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/ui/experiments/chase_input.h"

namespace heliostat::experiments {
namespace {

constexpr double kPeriod = 1800.0;
constexpr double kJoulesOfAKwh = 3.6e6;

std::vector<level_control::LevelOption> Options() {
  return EveryFiveWatts({{150, 0.6, Watts{140}}, {200, 0.9, Watts{180}}, {300, 1.0, Watts{250}}});
}

ChaseWindow Made(std::vector<double> truth) {
  ChaseWindow window;
  for (std::size_t p = 0; p < truth.size(); ++p) {
    window.forecasts.emplace_back(truth.begin() + static_cast<std::ptrdiff_t>(p), truth.end());
    window.highest = std::max(window.highest, truth[p]);
  }
  window.truth = std::move(truth);
  return window;
}

level_control::Settings Budget(double slowdown) {
  level_control::Settings settings;
  settings.mode = level_control::Mode::kBudget;
  settings.max_slowdown = slowdown;
  return settings;
}

TEST(ChaseRunLaw, AConstantRunIsTimePowerAndIntensityMultiplied) {
  const ChaseWindow window = Made({100, 300, 500});
  const ChaseRun run = RunConstant(window, 0.5, Watts{200}, kPeriod);  // two periods
  EXPECT_DOUBLE_EQ(run.seconds, 2 * kPeriod);
  EXPECT_DOUBLE_EQ(run.joules, 200 * 2 * kPeriod);
  EXPECT_NEAR(run.carbon_g, 200 * kPeriod / kJoulesOfAKwh * (100 + 300), 1e-9);
}

TEST(ChaseRunLaw, AfterTheWindowItsLastIntensityGoesOn) {
  const ChaseWindow window = Made({100, 300});
  const double three = RunConstant(window, 1.0, Watts{200}, 3 * kPeriod).carbon_g;
  const double five = RunConstant(window, 1.0, Watts{200}, 5 * kPeriod).carbon_g;
  EXPECT_NEAR(five - three, 200 * 2 * kPeriod / kJoulesOfAKwh * 300, 1e-9);
}

TEST(ChaseRunLaw, AReplayOfOneLevelIsTheConstantRun) {
  const ChaseWindow window = Made({100, 300, 500, 200, 400});
  const std::vector<level_control::LevelOption> only{{300, 1.0, Watts{250}}};
  const auto run = Replay(window, only, Budget(0.0), 3.5 * kPeriod);
  ASSERT_TRUE(run) << run.error().Line();
  const ChaseRun constant = RunConstant(window, 1.0, Watts{250}, 3.5 * kPeriod);
  EXPECT_NEAR(run->carbon_g, constant.carbon_g, 1e-6);
  EXPECT_NEAR(run->seconds, constant.seconds, 1e-6);
  EXPECT_NEAR(run->joules, constant.joules, 1e-3);
}

TEST(ChaseRunLaw, MoreTimeNeverCostsCarbonAndTheBudgetIsKept) {
  std::vector<double> truth;
  for (int i = 0; i < 40; ++i) truth.push_back(300.0 + 200.0 * std::sin(i * 0.7));
  const ChaseWindow window = Made(truth);
  const double work = 20 * kPeriod;
  double before = RunConstant(window, 1.0, Watts{250}, work).carbon_g;
  for (const double slowdown : {0.0, 0.05, 0.1, 0.3}) {
    const auto run = Replay(window, Options(), Budget(slowdown), work);
    ASSERT_TRUE(run);
    EXPECT_LE(run->seconds, work * (1.0 + slowdown) + 1.0) << slowdown;
    EXPECT_LE(run->carbon_g, before * (1.0 + 1e-6)) << slowdown;
    before = run->carbon_g;
  }
}

TEST(ChaseRunLaw, TheBestConstantTakesTheTimeItMayAndNoMoreEnergyThanTheDefault) {
  const ChaseWindow window = Made(std::vector<double>(40, 250.0));
  const double work = 20 * kPeriod;
  const double usual = RunConstant(window, 1.0, Watts{250}, work).joules;
  for (const double slowdown : {1.0, 1.02, 1.1, 1.25}) {
    const ChaseRun best = BestConstant(window, Options(), work, work * slowdown);
    EXPECT_LE(best.seconds, work * slowdown + 1e-6) << slowdown;
    EXPECT_LE(best.joules, usual * (1.0 + 1e-9)) << slowdown;
    EXPECT_NEAR(best.carbon_g, best.joules / kJoulesOfAKwh * 250.0, 1e-6) << "of a grid that does not move";
  }
}

TEST(EveryFiveWattsTest, GoesFromTheFirstToTheLastLimitInStepsOfFive) {
  const auto options = Options();
  ASSERT_EQ(options.size(), 31U);
  for (std::size_t i = 0; i < options.size(); ++i) {
    EXPECT_EQ(options[i].level, 150 + 5 * static_cast<int>(i));
    if (i == 0) continue;
    EXPECT_GE(options[i].speed, options[i - 1].speed);
    EXPECT_GE(options[i].power.value, options[i - 1].power.value);
  }
  EXPECT_DOUBLE_EQ(options[10].speed, 0.9) << "the measured limits themselves";
  EXPECT_DOUBLE_EQ(options[10].power.value, 180.0);
}

signal::Signal Hourly(int hours) {
  std::vector<double> values;
  for (int i = 0; i < hours; ++i) values.push_back(100.0 + i);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  return {"made", meaning, *signal::StepSeries::Make(Instant{}, Duration{3600}, values)};
}

TEST(LookAtTest, AnHourIsTwoPeriodsAndThePastGivesTheHighest) {
  const auto window = LookAt(Hourly(72), Instant{std::chrono::days{1}}, 6, "perfect", std::chrono::days{1});
  ASSERT_TRUE(window) << window.error().Line();
  EXPECT_EQ(window->truth, (std::vector<double>{124, 124, 125, 125, 126, 126}));
  EXPECT_EQ(window->highest, 123.0);
  ASSERT_EQ(window->forecasts.size(), 6U);
  EXPECT_EQ(window->forecasts[4], (std::vector<double>{126, 126}));
}

TEST(LookAtTest, ASeriesThatIsTooShortOrAModelThatIsNotThereIsRefused) {
  const Instant second_day{std::chrono::days{1}};
  EXPECT_FALSE(LookAt(Hourly(26), second_day, 6, "perfect", std::chrono::days{1})) << "ends too early";
  EXPECT_FALSE(LookAt(Hourly(72), Instant{std::chrono::hours{5}}, 6, "perfect", std::chrono::days{1}))
      << "has no day before";
  EXPECT_FALSE(LookAt(Hourly(72), second_day, 6, "oracle", std::chrono::days{1}));
}

}  // namespace
}  // namespace heliostat::experiments
