#include "heliostat/ui/experiments/chase_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heliostat/ui/experiments/chase_figures.h"
#include "heliostat/ui/experiments/chase_replay.h"

namespace heliostat::experiments {
namespace {

using testing::HasSubstr;

const std::vector<level_control::LevelOption>& A40() {
  static const std::vector<level_control::LevelOption> kOptions = EveryFiveWatts({{150, 0.608, Watts{144}},
                                                                                  {175, 0.838, Watts{161}},
                                                                                  {200, 0.937, Watts{179}},
                                                                                  {225, 0.968, Watts{198}},
                                                                                  {250, 0.983, Watts{216}},
                                                                                  {300, 1.0, Watts{244}}});
  return kOptions;
}

// Days between 200 and 600 g/kWh, half-hours.
signal::Signal Swinging(double swing) {
  std::vector<double> values;
  for (int i = 0; i < 48 * 6; ++i) values.push_back(400.0 + swing * std::sin(2.0 * std::numbers::pi * i / 48.0));
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  return {"made", meaning, *signal::StepSeries::Make(Instant{}, Duration{1800}, values)};
}

ChaseWindow WindowOf(double swing, const std::string& model = "perfect") {
  const auto window = LookAt(Swinging(swing), Instant{std::chrono::days{2}}, 64, model, std::chrono::days{1});
  EXPECT_TRUE(window) << window.error().Line();
  return *window;
}

level_control::Settings Budget(double slowdown) {
  level_control::Settings settings;
  settings.mode = level_control::Mode::kBudget;
  settings.max_slowdown = slowdown;
  return settings;
}

TEST(ChaseReplayTest, LinesBetweenMeasuredLimitsMeetThem) {
  const auto& options = A40();
  ASSERT_EQ(options.size(), 31U);
  EXPECT_EQ(options.back().level, 300);
  EXPECT_DOUBLE_EQ(options.back().speed, 1.0);
  EXPECT_NEAR(options[1].speed, 0.608 + 0.2 * 0.23, 1e-12);
  EXPECT_NEAR(options[5].power.value, 161, 1e-9);
}

TEST(ChaseReplayTest, AForecastSeesNothingOfWhatItForecasts) {
  const ChaseWindow window = WindowOf(200.0, "svr");
  ASSERT_EQ(window.forecasts.size(), 64U);
  EXPECT_EQ(window.forecasts[3].size(), 61U);
  EXPECT_NEAR(window.highest, 600.0, 1.0);
  // The same past and another future give the same forecast.
  signal::Signal other = Swinging(200.0);
  std::vector<double> values = other.series.values();
  for (std::size_t i = 48 * 2 + 10; i < values.size(); ++i) values[i] = 50.0;
  other.series = *signal::StepSeries::Make(Instant{}, Duration{1800}, values);
  const auto changed = LookAt(other, Instant{std::chrono::days{2}}, 64, "svr", std::chrono::days{1});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->forecasts[10], window.forecasts[10]);
  EXPECT_NE(changed->forecasts[11], window.forecasts[11]);
}

TEST(ChaseReplayTest, EtaZeroIsTheDefaultLimit) {
  const ChaseWindow window = WindowOf(200.0);
  level_control::Settings settings;
  settings.eta = 0.0;
  settings.most_power = Watts{300};
  settings.highest_cost = GramsPerKwh(600).value;
  const auto run = Replay(window, A40(), settings, 72000.0);
  ASSERT_TRUE(run);
  const ChaseRun usual = RunConstant(window, 1.0, Watts{244}, 72000.0);
  EXPECT_NEAR(run->carbon_g, usual.carbon_g, 1e-6 * usual.carbon_g);
  EXPECT_NEAR(run->seconds, usual.seconds, 1e-6);
  EXPECT_NEAR(run->joules, usual.joules, 1e-3);
}

TEST(ChaseReplayTest, TimingAddsNothingWhereIntensityStandsStillAndSomethingWhereItMoves) {
  for (const double swing : {0.0, 200.0}) {
    const ChaseWindow window = WindowOf(swing);
    const auto run = Replay(window, A40(), Budget(0.025), 72000.0);
    ASSERT_TRUE(run);
    EXPECT_LE(run->seconds, 72000.0 * 1.025 + 1.0);
    const double constant = BestConstant(window, A40(), 72000.0, run->seconds).carbon_g;
    if (swing == 0.0) {
      EXPECT_NEAR(run->carbon_g, constant, 1e-3 * constant);
    } else {
      EXPECT_LT(run->carbon_g, 0.995 * constant);
    }
  }
}

TEST(ChaseStudyTest, BuiltInDataAreNamedAsSuchAndGiveEveryPoint) {
  auto input = BuiltInChase();
  ASSERT_TRUE(input) << input.error().Line();
  EXPECT_FALSE(input->is_real);
  EXPECT_THAT(input->about, HasSubstr("built-in"));
  ASSERT_EQ(input->trace.size(), 1U);
  EXPECT_EQ(input->trace[0].series.step(), kChasePeriod);
  for (const ChaseWorkload& workload : input->workloads) {
    for (std::size_t i = 1; i < workload.options.size(); ++i) {
      EXPECT_EQ(workload.options[i].level, workload.options[i - 1].level + 5) << workload.name;
    }
  }
  for (const auto& zone : input->zones) EXPECT_EQ(zone.series.missing(), 0U) << zone.name;
  input->zones.erase(input->zones.begin() + 2, input->zones.end());
  const auto finding = ChaseFinding(*input, Size::kQuick);
  ASSERT_TRUE(finding) << finding.error().Line();
  EXPECT_THAT(finding->verdict, HasSubstr("-13.6 %"));
  EXPECT_THAT(finding->verdict, HasSubstr("Matched or beaten by: not judged"));
  EXPECT_EQ(finding->answer.tiles.front().name, "energy");
  EXPECT_EQ((*(*finding->json.Get("frontier"))->Elements())->size(), 15U);
  EXPECT_EQ((*(*finding->json.Get("zones"))->Elements())->size(), 2U);
}

TEST(ChaseStudyTest, AFileThatIsMissingIsNamed) {
  const auto input = RealChase("/nowhere");
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().Line(), HasSubstr("summary_power_a40.csv"));
}

}  // namespace
}  // namespace heliostat::experiments
