#include "heliostat/planning/decomposition/improve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

bool Never() { return false; }

DraftPlan::Rents NoRents(const Model& model) {
  return DraftPlan::Rents(model.groups.size(), std::vector<double>(model.slots, 0.0));
}

TEST(Improver, FillsABoardWithEveryJobAndService) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    Improver improver(draft);
    const auto homeless = improver.Fill(NoRents(made.model), Never);
    ASSERT_TRUE(homeless.empty()) << seed;
    EXPECT_TRUE(draft.Fits()) << seed;
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      if (!made.model.jobs[j].required) continue;
      EXPECT_TRUE(draft.IsPlaced(j));
      EXPECT_GE(SamplesOf(made.model.jobs[j], draft.ScheduleOf(j)), made.model.jobs[j].samples * (1.0 - 1e-9));
    }
    for (std::size_t s = 0; s < made.model.services.size(); ++s) {
      for (std::size_t t = 0; t < made.model.slots; ++t) EXPECT_NE(draft.OptionOf(s, t), kNoOption);
    }
  }
}

TEST(Improver, ASweepNeverMakesItWorseAndSaysWhatItGained) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    Improver improver(draft);
    if (!improver.Fill(NoRents(made.model), Never).empty()) continue;
    for (int i = 0; i < 4; ++i) {
      const double before = draft.Value();
      const double gained = improver.Sweep(nullptr, Never);
      EXPECT_GE(gained, -1e-9 * std::abs(before)) << seed;
      EXPECT_NEAR(draft.Value(), before - gained, 1e-9 * std::abs(before)) << seed;
      EXPECT_TRUE(draft.Fits()) << seed;
    }
  }
}

TEST(Improver, StopsWhenTimeIsUp) {
  const Made made(Small(2));
  DraftPlan draft(made.model);
  Improver improver(draft);
  ASSERT_TRUE(improver.Fill(NoRents(made.model), Never).empty());
  const std::vector<std::vector<double>> before{draft.EnergyPrices()};
  const double value = draft.Value();
  improver.Sweep(nullptr, [] { return true; });
  EXPECT_LE(draft.Value(), value * (1.0 + 1e-12));
  for (std::size_t j = 0; j < made.model.jobs.size(); ++j) EXPECT_TRUE(draft.IsPlaced(j));
}

TEST(Improver, EvictsUntilNoGroupIsOverfull) {
  scenario::Shape shape = Small(3);
  shape.jobs = 30;
  shape.load = 1.2;  // more than fits
  const Made made(shape);
  DraftPlan draft(made.model);
  Improver improver(draft);
  const DraftPlan::Rents none = NoRents(made.model);
  draft.Smooth(draft.EnergyPrices(), &none, 1.0, 0.0);
  improver.Fill(none, Never);
  draft.Smooth(draft.EnergyPrices(), nullptr, 0.0, 1.0);
  improver.Evict();
  for (std::size_t g = 0; g < made.model.groups.size(); ++g) {
    const int gpus = made.model.groups[g].nodes * made.model.groups[g].gpus_per_node;
    for (std::size_t t = 0; t < made.model.slots; ++t) EXPECT_LE(draft.GpusInUse(g, t), gpus);
  }
}

// Two jobs that both need all GPUs in the same slots: Fill() returns one of them.
TEST(Improver, SaysWhoFoundNoPlace) {
  scenario::Shape shape = Small(4);
  shape.jobs = 1;
  shape.services = 0;
  shape.groups = 1;
  scenario::Scenario crowded = scenario::Generate(shape);
  const int gpus = crowded.groups[0].gpus();
  crowded.training = {};
  crowded.training.Add(crowded.jobs[0].model, crowded.groups[0].gpu, {{std::nullopt, 300.0}, gpus, 10.0, Watts{300.0}});
  crowded.jobs[0].min_workers = crowded.jobs[0].max_workers = gpus;
  crowded.jobs[0].submit = crowded.start;
  crowded.jobs[0].deadline = crowded.start + Duration(7200);
  crowded.jobs[0].samples = 10.0 * 5000.0;
  crowded.jobs[0].resume = Duration(0);
  crowded.jobs.push_back(crowded.jobs[0]);
  crowded.jobs[1].id = "other";
  const Made made(std::move(crowded));
  DraftPlan draft(made.model);
  Improver improver(draft);
  EXPECT_EQ(improver.Fill(NoRents(made.model), Never).size(), 1U);
}

// A job with slack is displaced for one that fits nowhere else.
TEST(Improver, PushesAsideWhoHasMoreSlack) {
  scenario::Shape shape = Small(4);
  shape.jobs = 1;
  shape.services = 0;
  shape.groups = 1;
  scenario::Scenario made_up = scenario::Generate(shape);
  const int gpus = made_up.groups[0].gpus();
  made_up.training = {};
  made_up.training.Add(made_up.jobs[0].model, made_up.groups[0].gpu, {{std::nullopt, 300.0}, gpus, 10.0, Watts{300.0}});
  made_up.jobs[0].min_workers = made_up.jobs[0].max_workers = gpus;
  made_up.jobs[0].submit = made_up.start;
  made_up.jobs[0].samples = 10.0 * 3600.0;
  made_up.jobs[0].resume = Duration(0);
  made_up.jobs.push_back(made_up.jobs[0]);
  made_up.jobs[1].id = "tight";
  made_up.jobs[0].deadline = made_up.start + Duration(20 * 3600);
  made_up.jobs[1].deadline = made_up.start + Duration(3600);
  const Made made(std::move(made_up));
  DraftPlan draft(made.model);
  draft.Put(0, {0, {{0, 0, 0, 0, 3600, 0, 0}}});  // the only place of the tight one
  Improver improver(draft);
  EXPECT_TRUE(improver.Fill(NoRents(made.model), Never).empty());
  EXPECT_EQ(draft.ScheduleOf(1).pieces.front().slot, 0U);
  EXPECT_GT(draft.ScheduleOf(0).pieces.front().slot, 0U);
  EXPECT_TRUE(draft.Fits());
}

}  // namespace
}  // namespace heliostat::decomposition
