#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(PriceGreedy, RunsInTheCheapestSlotsWhateverTheCarbon) {
  Desk desk({10, 900, 10, 900, 10, 10}, {0.5, 0.1, 0.5, 0.1, 0.5, 0.5});
  const JobId job = desk.Submit(3.9, 6.0, 1, 1);
  auto policy = Named("price-greedy");
  std::vector<bool> runs;
  for (int slot = 0; slot < 4; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    runs.push_back(desk.Runs(job));
  }
  EXPECT_EQ(runs, (std::vector<bool>{false, true, false, true}));
}

TEST(PriceGreedy, RunsAtOnceWithoutPrices) {
  Desk desk;
  const JobId job = desk.Submit(1.0, 20.0, 1, 1);
  auto policy = Named("price-greedy");
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

}  // namespace
}  // namespace heliostat::policy::testing
