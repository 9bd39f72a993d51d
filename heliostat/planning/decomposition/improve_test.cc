#include "heliostat/planning/decomposition/improve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

bool Never() { return false; }

Board::Rents NoRents(const Model& model) {
  return Board::Rents(model.groups.size(), std::vector<double>(model.slots, 0.0));
}

TEST(Improver, FillsABoardWithEveryJobAndService) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    Board board(made.model);
    Improver improver(board);
    const auto homeless = improver.Fill(NoRents(made.model), Never);
    ASSERT_TRUE(homeless.empty()) << seed;
    EXPECT_TRUE(board.Fits()) << seed;
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      if (!made.model.jobs[j].required) continue;
      EXPECT_TRUE(board.IsPlaced(j));
      EXPECT_GE(SamplesOf(made.model.jobs[j], board.ScheduleOf(j)), made.model.jobs[j].samples * (1.0 - 1e-9));
    }
    for (std::size_t s = 0; s < made.model.services.size(); ++s) {
      for (std::size_t t = 0; t < made.model.slots; ++t) EXPECT_NE(board.OptionOf(s, t), kNoOption);
    }
  }
}

TEST(Improver, ASweepNeverMakesItWorseAndSaysWhatItGained) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    Board board(made.model);
    Improver improver(board);
    if (!improver.Fill(NoRents(made.model), Never).empty()) continue;
    for (int i = 0; i < 4; ++i) {
      const double before = board.Value();
      const double gained = improver.Sweep(nullptr, Never);
      EXPECT_GE(gained, -1e-9 * std::abs(before)) << seed;
      EXPECT_NEAR(board.Value(), before - gained, 1e-9 * std::abs(before)) << seed;
      EXPECT_TRUE(board.Fits()) << seed;
    }
  }
}

TEST(Improver, StopsWhenTimeIsUp) {
  const Made made(Small(2));
  Board board(made.model);
  Improver improver(board);
  ASSERT_TRUE(improver.Fill(NoRents(made.model), Never).empty());
  const std::vector<std::vector<double>> before{board.EnergyPrices()};
  const double value = board.Value();
  improver.Sweep(nullptr, [] { return true; });
  EXPECT_LE(board.Value(), value * (1.0 + 1e-12));
  for (std::size_t j = 0; j < made.model.jobs.size(); ++j) EXPECT_TRUE(board.IsPlaced(j));
}

TEST(Improver, EvictsUntilNoGroupIsOverfull) {
  scenario::Shape shape = Small(3);
  shape.jobs = 30;
  shape.load = 1.2;  // more than fits
  const Made made(shape);
  Board board(made.model);
  Improver improver(board);
  const Board::Rents none = NoRents(made.model);
  board.Smooth(board.EnergyPrices(), &none, 1.0, 0.0);
  improver.Fill(none, Never);
  board.Smooth(board.EnergyPrices(), nullptr, 0.0, 1.0);
  improver.Evict();
  for (std::size_t g = 0; g < made.model.groups.size(); ++g) {
    const int gpus = made.model.groups[g].nodes * made.model.groups[g].gpus_per_node;
    for (std::size_t t = 0; t < made.model.slots; ++t) EXPECT_LE(board.GpusInUse(g, t), gpus);
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
  Board board(made.model);
  Improver improver(board);
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
  Board board(made.model);
  board.Put(0, {0, {{0, 0, 0, 0, 3600, 0, 0}}});  // the only place of the tight one
  Improver improver(board);
  EXPECT_TRUE(improver.Fill(NoRents(made.model), Never).empty());
  EXPECT_EQ(board.ScheduleOf(1).pieces.front().slot, 0U);
  EXPECT_GT(board.ScheduleOf(0).pieces.front().slot, 0U);
  EXPECT_TRUE(board.Fits());
}

}  // namespace
}  // namespace heliostat::decomposition
