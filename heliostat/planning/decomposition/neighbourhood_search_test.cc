#include "heliostat/planning/decomposition/neighbourhood_search.h"

#include <gtest/gtest.h>

#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

bool Never() { return false; }

// A draft with every job, swept until single jobs gain nothing more.
class Swept {
 public:
  explicit Swept(const Model& model) : draft(model), improver(draft, 1) {
    const DraftPlan::Rents none(model.groups.size(), std::vector<double>(model.slots, 0.0));
    is_whole = improver.Fill(none, Never).empty();
    for (int i = 0; i < 10 && improver.Sweep(nullptr, Never) > 1e-9; ++i) {
    }
  }

  DraftPlan draft;
  Improver improver;
  bool is_whole = false;
};

scenario::Shape Shape(std::uint64_t seed) {
  scenario::Shape shape = Small(seed);
  shape.jobs = 14;
  return shape;
}

TEST(NeighbourhoodSearchLaw, NeverMakesADraftWorseAndKeepsItWhole) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Made made(Shape(seed));
    Swept swept(made.model);
    if (!swept.is_whole) continue;
    NeighbourhoodSearch search(swept.draft, swept.improver, seed);
    double before = swept.draft.Value();
    const double first = before;
    for (int round = 0; round < 3; ++round) {
      search.Try(20, Never);
      EXPECT_LE(swept.draft.Value(), before + 1e-9) << seed;
      EXPECT_TRUE(swept.draft.Fits()) << seed;
      before = swept.draft.Value();
    }
    better += before < first * (1.0 - 1e-4) ? 1 : 0;
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      const JobModel& job = made.model.jobs[j];
      if (!job.required) continue;
      ASSERT_TRUE(swept.draft.IsPlaced(j)) << seed;
      EXPECT_GE(SamplesOf(job, swept.draft.ScheduleOf(j)), job.samples * (1.0 - 1e-9)) << seed;
    }
  }
  EXPECT_GE(better, 3) << "single jobs find a local minimum only";
}

TEST(NeighbourhoodSearch, GivesTheSameDraftForTheSameSeed) {
  const Made made(Shape(5));
  Swept one(made.model);
  Swept two(made.model);
  NeighbourhoodSearch(one.draft, one.improver, 7).Try(30, Never);
  NeighbourhoodSearch(two.draft, two.improver, 7).Try(30, Never);
  EXPECT_EQ(one.draft.content().schedules, two.draft.content().schedules);
}

TEST(NeighbourhoodSearch, ChangesNothingWhenTheTimeIsOver) {
  const Made made(Shape(6));
  Swept swept(made.model);
  const auto before = swept.draft.content().schedules;
  NeighbourhoodSearch(swept.draft, swept.improver, 1).Try(30, [] { return true; });
  EXPECT_EQ(swept.draft.content().schedules, before);
}

TEST(NeighbourhoodSearch, HasNothingToDoWithoutJobs) {
  scenario::Shape shape = Small(7);
  shape.jobs = 0;
  const Made made(shape);
  Swept swept(made.model);
  const double before = swept.draft.Value();
  NeighbourhoodSearch(swept.draft, swept.improver, 1).Try(30, Never);
  EXPECT_EQ(swept.draft.Value(), before);
}

}  // namespace
}  // namespace heliostat::decomposition
