#include "heliostat/control/policy/choices.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy {
namespace {

using testing::Desk;

scenario::Job Asked(const std::string& model, int workers) {
  scenario::Job job;
  job.model = model;
  job.min_workers = job.max_workers = workers;
  job.samples = 3600.0;
  return job;
}

TEST(Choices, OfAnUnmeasuredJobAreToRunAsItIsWhereItFits) {
  const Desk desk;
  const Choices choices(desk.site(), Asked("", 8), {});
  ASSERT_EQ(choices.groups().size(), 2U);
  const scenario::TrainingPoint& point = choices.At(*choices.Default(0));
  EXPECT_EQ(point.workers, 8);
  EXPECT_DOUBLE_EQ(point.samples_per_s, 1.0);  // its samples are seconds
  EXPECT_EQ(point.knob, scenario::GpuSetting{});
  // From the highest measured power of other work on that GPU.
  EXPECT_DOUBLE_EQ(point.power.value, 8 * 300.0);
  EXPECT_EQ(choices.In(0).size(), 1U);
}

TEST(Choices, OfAJobThatFitsNowhereAreNone) {
  const Desk desk;
  EXPECT_TRUE(Choices(desk.site(), Asked("", 9), {}).groups().empty());
  EXPECT_TRUE(Choices(desk.site(), Asked("never measured", 1), {}).groups().empty());
}

TEST(Choices, LeaveLimitsAloneWherePowerCannotBeCapped) {
  const Desk desk;
  Capabilities can;
  EXPECT_EQ(Choices(desk.site(), Asked("m", 2), can).In(0).size(), 3U);
  can.cap_power = false;
  const Choices choices(desk.site(), Asked("m", 2), can);
  ASSERT_EQ(choices.In(0).size(), 1U);
  EXPECT_EQ(choices.At({0, choices.In(0).front()}).knob.power_limit_w, 300.0);
}

}  // namespace
}  // namespace heliostat::policy
