#include "heliostat/forecasting/job_length/job.h"

#include <gtest/gtest.h>

namespace heliostat::job_length {
namespace {

TEST(EndingOfState, ReadsTheStatesOfSlurm) {
  EXPECT_EQ(EndingOfState("COMPLETED"), Ending::kCompleted);
  EXPECT_EQ(EndingOfState(""), Ending::kCompleted);
  EXPECT_EQ(EndingOfState("TIMEOUT"), Ending::kTimedOut);
  EXPECT_EQ(EndingOfState("CANCELLED by 1000"), Ending::kCancelled);
  EXPECT_EQ(EndingOfState("CANCELLED+"), Ending::kCancelled);
  EXPECT_EQ(EndingOfState("OUT_OF_MEMORY"), Ending::kFailed);
  EXPECT_EQ(EndingOfState("RUNNING"), std::nullopt);
  EXPECT_EQ(EndingOfState("PENDING"), std::nullopt);
}

TEST(PlainName, LeavesOutDigitsAndCase) {
  EXPECT_EQ(PlainName("Train-ResNet50_07"), "train-resnet_");
  EXPECT_EQ(PlainName("20240304"), "");
}

}  // namespace
}  // namespace heliostat::job_length
