#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(Edf, TheJobDueFirstGoesFirst) {
  Desk desk;
  auto policy = Named("edf");
  for (int i = 0; i < 4; ++i) desk.Submit(2.0, 30.0, 4, 4);
  desk.Ask(*policy);
  const JobId best_effort = desk.Submit(1.0, std::nullopt, 4, 4);
  const JobId late = desk.Submit(1.0, 20.0, 4, 4);
  const JobId soon = desk.Submit(1.0, 5.0, 4, 4);
  desk.Ask(*policy);
  EXPECT_FALSE(desk.Runs(soon));
  desk.End(0);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(soon));
  EXPECT_FALSE(desk.Runs(late));
  desk.End(1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(late));
  EXPECT_FALSE(desk.Runs(best_effort));
}

TEST(Edf, ASmallJobPassesOneThatDoesNotFit) {
  Desk desk;
  auto policy = Named("edf");
  for (int i = 0; i < 3; ++i) desk.Submit(2.0, 30.0, 4, 4);
  desk.Submit(2.0, 30.0, 2, 2);
  desk.Ask(*policy);
  const JobId big = desk.Submit(1.0, 2.0, 4, 4);
  const JobId small = desk.Submit(1.0, 10.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_FALSE(desk.Runs(big));
  EXPECT_TRUE(desk.Runs(small));
}

}  // namespace
}  // namespace heliostat::policy::testing
