// Enough jobs for Ask() to use several threads.
#include <gtest/gtest.h>

#include "heliostat/planning/decomposition/prices.h"
#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition::testing {
namespace {

TEST(ManyJobs, AreAnsweredByThreadsAsFewAreByOne) {
  scenario::Shape shape = Small(3);
  shape.jobs = 90;
  const Made made(shape);
  const Prices prices = OpenPrices(made.model);
  const Reply all = Ask(made.model, prices, {});
  Model few = made.model;
  few.jobs.resize(40);
  const Reply some = Ask(few, prices, {});
  ASSERT_EQ(all.jobs.size(), 90U);
  for (std::size_t j = 0; j < few.jobs.size(); ++j) {
    EXPECT_EQ(all.jobs[j].bound, some.jobs[j].bound) << j;
    EXPECT_EQ(all.jobs[j].cost, some.jobs[j].cost) << j;
  }
}

}  // namespace
}  // namespace heliostat::decomposition::testing
