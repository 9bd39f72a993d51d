#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(LowestWindow, RunsOnceInTheCleanestWindow) {
  Desk desk({500, 100, 500, 200, 200, 500, 10, 10});
  const JobId job = desk.Submit(3.9, 6.0, 1, 1);  // 1.95 h on the fast group
  auto policy = Named("lowest-window");
  std::vector<bool> runs;
  for (int slot = 0; slot < 5; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    runs.push_back(desk.Runs(job));
  }
  EXPECT_EQ(runs, (std::vector<bool>{false, false, false, true, true}));
}

}  // namespace
}  // namespace heliostat::policy::testing
