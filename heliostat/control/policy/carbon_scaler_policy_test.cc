#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CarbonScaler, TakesMoreWorkersWhereTheGridIsCleaner) {
  Desk desk({300, 100, 300, 300, 300, 300});
  const JobId job = desk.Submit(2.8, 6.0, 1, 4);  // 1.4 h with all four on the fast group
  auto policy = Named("carbon-scaler");
  std::vector<int> workers;
  for (int slot = 0; slot < 3; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    workers.push_back(desk.Runs(job) ? desk.PointOf(job).workers : 0);
  }
  EXPECT_EQ(workers[1], 4);
  EXPECT_LT(workers[0], 4);
  EXPECT_LT(workers[2], 4);
}

TEST(CarbonScaler, OnAnEvenGridTakesTheWorkersThatHelpMost) {
  Desk desk(std::vector<double>(24, 300.0));
  const JobId job = desk.Submit(2.0, 20.0, 1, 4);
  auto policy = Named("carbon-scaler");
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.PointOf(job).workers, 1);
}

}  // namespace
}  // namespace heliostat::policy::testing
