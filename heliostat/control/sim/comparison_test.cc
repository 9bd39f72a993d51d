#include "heliostat/control/sim/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heliostat/control/sim/verdict.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

using ::testing::ElementsAre;

TEST(Compare, ThreadsChangeNothing) {
  scenario::Shape shape;
  shape.seed = 9;
  shape.jobs = 6;
  shape.slots = 30;
  shape.gpus = 32;
  shape.services = 1;
  shape.load = 0.4;
  const scenario::Scenario scenario = scenario::Generate(shape);
  CompareOptions options;
  options.policies = {"run-now", "zeus", "ca-rm-performance", "wait-awhile", "ce-dla-drs"};
  options.with_bound = false;
  std::vector<double> carbon;
  for (const unsigned threads : {1U, 3U}) {
    const auto foresight = ForecastForesight(scenario, {}, "yesterday");
    options.threads = threads;
    const auto comparison = Compare(scenario, **foresight, options);
    ASSERT_TRUE(comparison);
    for (const Figures& figures : comparison->figures) carbon.push_back(figures.carbon_kg);
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(carbon[i], carbon[i + 5]);
}

Comparison Compared(const std::vector<std::string>& policies, unsigned threads = 1) {
  scenario::Shape shape;
  shape.seed = 4;
  shape.jobs = 8;
  shape.slots = 36;
  shape.gpus = 32;
  shape.load = 0.3;
  shape.slack = 4.0;
  const scenario::Scenario scenario = scenario::Generate(shape);
  CompareOptions options;
  options.policies = policies;
  options.with_bound = false;
  options.with_split = true;
  options.threads = threads;
  const auto foresight = PerfectForesight(scenario);
  return *Compare(scenario, *foresight, options);
}

TEST(SplitTest, ThePartsAddUpToTheWholeSaving) {
  const Comparison comparison = Compared({"run-now", "ca-rm-performance", "zeus"});
  const auto winner = Judge(comparison.figures).winner;
  ASSERT_EQ(winner, 1U);
  const auto& stages = comparison.split.stages;
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[1].how, "run-now+sleep") << "simulated although it is not compared";
  EXPECT_EQ(stages[2].how, "ca-rm-performance with default GPU settings");
  EXPECT_EQ(stages.front().carbon_kg, comparison.figures.front().carbon_kg);
  EXPECT_EQ(stages.back().carbon_kg, comparison.figures[1].carbon_kg);
  EXPECT_LT(stages[1].carbon_kg, stages[0].carbon_kg) << "sleep saves";
  EXPECT_NE(stages[2].carbon_kg, stages[3].carbon_kg) << "speed counts";
  EXPECT_EQ(Compared({"run-now", "ca-rm-performance", "zeus"}, 2).split.stages[2].carbon_kg, stages[2].carbon_kg);
}

TEST(SplitTest, WhereNoNodeSleepsOrNoKnobIsTurnedTheirPartIsZero) {
  const auto zeus = Compared({"run-now", "zeus"}).split.stages;
  ASSERT_EQ(zeus.size(), 4U);
  EXPECT_EQ(zeus[1].carbon_kg, zeus[0].carbon_kg) << "no node sleeps";
  EXPECT_EQ(zeus[2].carbon_kg, zeus[1].carbon_kg) << "zeus with default settings is run-now";
  const auto asleep = Compared({"run-now", "run-now+sleep"}).split.stages;
  ASSERT_EQ(asleep.size(), 4U);
  EXPECT_LT(asleep[1].carbon_kg, asleep[0].carbon_kg);
  EXPECT_EQ(asleep[3].carbon_kg, asleep[1].carbon_kg);
  EXPECT_TRUE(Compared({"run-now"}).split.stages.empty()) << "the baseline saves nothing";
}

TEST(SplitTest, TheSleepingBaselineIsFoundByItsName) {
  std::vector<SimulatedRun> runs(3);
  runs[0].policy = "edf";
  runs[1].policy = "run-now+sleep";
  EXPECT_FALSE(SleepingBaseline(runs).has_value());
  runs[2].policy = "edf+sleep";
  EXPECT_EQ(SleepingBaseline(runs), 2U);
}

// Collects what a comparison tells.
class Told : public ComparisonListener {
 public:
  void Advanced(std::optional<double> share, const std::string& /*doing*/) override { shares.push_back(*share); }
  void Finished(const SimulatedRun& run, const Figures& /*figures*/) override { finished.push_back(run.policy); }
  std::vector<double> shares;
  std::vector<std::string> finished;
};

TEST(Compare, QuickPoliciesFinishFirstAndProgressGrowsToTheEnd) {
  scenario::Shape shape;
  shape.jobs = 3;
  shape.slots = 12;
  shape.gpus = 8;
  const scenario::Scenario scenario = scenario::Generate(shape);
  CompareOptions options;
  options.policies = {"ca-rm-performance", "run-now", "zeus"};
  options.with_bound = false;
  const auto foresight = PerfectForesight(scenario);
  Told told;
  const auto comparison = Compare(scenario, *foresight, options, &told);
  ASSERT_TRUE(comparison);
  EXPECT_THAT(told.finished, ElementsAre("run-now", "zeus", "ca-rm-performance"));
  EXPECT_EQ(comparison->runs.front().policy, "ca-rm-performance") << "the order of the result is the order asked for";
  ASSERT_GE(told.shares.size(), 3 * shape.slots);
  EXPECT_TRUE(std::ranges::is_sorted(told.shares));
  EXPECT_NEAR(told.shares.back(), 1.0, 1e-9);
}

}  // namespace
}  // namespace heliostat::sim
