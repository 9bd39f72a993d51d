#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

std::vector<bool> RunsInSlots(const std::string& name, Desk& desk, JobId job, int slots) {
  auto policy = Named(name);
  std::vector<bool> runs;
  for (int slot = 0; slot < slots; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    runs.push_back(desk.Runs(job));
  }
  return runs;
}

TEST(WaitAwhile, RunsInTheCleanestSlotsBeforeTheDeadline) {
  Desk desk({500, 100, 500, 100, 500, 500, 10, 10});
  const JobId job = desk.Submit(3.9, 6.0, 1, 1);  // 1.95 h on the fast group
  EXPECT_EQ(RunsInSlots("wait-awhile", desk, job, 4), (std::vector<bool>{false, true, false, true}));
}

TEST(WaitAwhile, KeepsAJobInOnePieceThatMustBe) {
  Desk desk({500, 100, 500, 90, 90, 500, 10, 10});
  const JobId job = desk.Submit(3.9, 6.0, 1, 1, false);
  EXPECT_EQ(RunsInSlots("wait-awhile", desk, job, 5), (std::vector<bool>{false, false, false, true, true}));
}

TEST(WaitAwhile, RunsWhateverTheGridDoesWhenItWouldBeLate) {
  Desk desk({500, 400, 300, 200, 100, 50});
  const JobId job = desk.Submit(3.8, 2.0, 1, 1);
  EXPECT_EQ(RunsInSlots("wait-awhile", desk, job, 2), (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace heliostat::policy::testing
