#include "heliostat/control/sim/rehearsal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::sim {
namespace {

using workload::ScenarioRecipe;

// Twelve made scenarios that differ in everything on which the queue of run-now depends.
ScenarioRecipe MadeBy(std::uint64_t seed) {
  ScenarioRecipe recipe;
  recipe.seed = seed;
  recipe.slots = 48;
  recipe.hardware = seed % 3 == 0 ? std::vector<workload::Hardware>{{"A100", 4, 8}}
                                  : std::vector<workload::Hardware>{{"A40", 3, 8}, {"V100", 2, 4}};
  recipe.load = 0.3 + 0.1 * static_cast<double>(seed % 6);
  recipe.slack = seed % 2 == 0 ? 1.2 : 3.0;
  recipe.elasticity = static_cast<double>(1U << seed % 4);
  recipe.services = seed % 5;
  recipe.in_one_piece = seed % 4 == 0 ? 0.5 : 0.1;
  return recipe;
}

Figures UnderRunNow(const scenario::Scenario& scenario) {
  auto policy = *policy::Make("run-now", {});
  const auto foresight = PerfectForesight(scenario, false);
  return FiguresOf(scenario, Simulate(scenario, *policy, *foresight, {}));
}

// Also other policies can meet the deadlines: none is where run-now ends its job, except at the end of the horizon.
void ExpectRoom(const scenario::Scenario& scenario) {
  const auto ends = EndsUnderRunNow(scenario);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& deadline = scenario.jobs[i].deadline;
    if (!deadline || *deadline == scenario.end()) continue;
    EXPECT_GE(*deadline - *ends[i], std::chrono::minutes(15)) << scenario.jobs[i].id;
  }
}

TEST(EndsUnderRunNow, LetRunNowMeetEveryDeadlineOfAMadeScenario) {
  std::size_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto made = workload::MakeRehearsed(MadeBy(seed), EndsUnderRunNow);
    ASSERT_TRUE(made.has_value()) << made.error().Line();
    const Figures figures = UnderRunNow(made->scenario);
    EXPECT_EQ(figures.deadline_misses, 0U) << seed;
    EXPECT_EQ(figures.jobs_completed, figures.jobs_total) << seed;
    EXPECT_GT(figures.jobs_total, 10U) << seed;
    EXPECT_GE(made->tally.slack, made->tally.asked_slack) << seed;
    ExpectRoom(made->scenario);
    moved += made->tally.moved_deadlines;
  }
  EXPECT_GT(moved, 100U);  // else the scenarios test nothing
}

TEST(EndsUnderRunNow, LeaveOutJobsOfATraceThatTheClusterCannotDo) {
  workload::Trace trace{.name = "flood", .jobs = {}};
  for (int i = 0; i < 400; ++i) {
    trace.jobs.push_back(
        {.id = fmt::format("j{}", i), .submit = Duration{i * 600}, .length = Duration{20000}, .gpus = 4});
  }
  ScenarioRecipe recipe = MadeBy(1);
  recipe.elasticity = 2.0;
  recipe.load.reset();
  recipe.trace = std::make_shared<const workload::Trace>(trace);
  const auto made = workload::MakeRehearsed(recipe, EndsUnderRunNow);
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  const workload::JobTally& tally = made->tally;
  EXPECT_EQ(tally.in_trace, 400U);
  EXPECT_EQ(tally.in_trace, made->scenario.jobs.size() + tally.left_out());
  EXPECT_GT(tally.not_done, 0U);
  EXPECT_GT(tally.after_end, 0U);
  const Figures figures = UnderRunNow(made->scenario);
  EXPECT_EQ(figures.deadline_misses, 0U);
  EXPECT_EQ(figures.jobs_completed, figures.jobs_total);
}

}  // namespace
}  // namespace heliostat::sim
