#include "heliostat/node/training_run/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/read.h"

namespace heliostat::training_run {
namespace {

using ::testing::SizeIs;

TEST(ProfileFileTest, ReadersOfProfilesTakeItAndSkipPacedRows) {
  ProfileRow row{.model = "a,\"b\"",
                 .gpu = "H200",
                 .workers = 2,
                 .core_mhz = std::nullopt,
                 .power_limit_w = 300,
                 .samples_per_s = 1234.5,
                 .power = Watts{567},
                 .batch = 256,
                 .source = "made-up",
                 .error = 0.01,
                 .pace = 1.0,
                 .measured = Seconds(50)};
  ProfileRow paced = row;
  paced.power_limit_w.reset();
  paced.pace = 0.5;
  const auto read = profile::ReadMeasurements(ProfileTable(std::vector{row, paced}), "p.csv");
  ASSERT_TRUE(read) << read.error().Line();
  ASSERT_THAT(*read, SizeIs(1));
  const profile::Measurement& first = read->front();
  EXPECT_EQ(first.model, row.model);
  EXPECT_EQ(first.gpu, "H200");
  EXPECT_EQ(first.workers, 2);
  EXPECT_EQ(first.knob.power_limit_w, 300);
  EXPECT_DOUBLE_EQ(first.per_s, 1234.5);
  EXPECT_EQ(first.power, Watts{567});
  EXPECT_EQ(first.batch, 256);
  EXPECT_EQ(first.origin, profile::Origin::kMadeUp);
  EXPECT_DOUBLE_EQ(first.speed_error, 0.01);
}

TEST(ProfileFileTest, AMadeUpGpuHasTheNameOfItsModel) {
  EXPECT_EQ(profile::GpuName("NVIDIA H200 (made up)"), "H200");
  EXPECT_EQ(profile::GpuName("NVIDIA A100-SXM4-80GB (made up)"), "A100");
  EXPECT_EQ(profile::GpuName("NVIDIA GeForce RTX 4090 (made up)"), "RTX4090");
}

}  // namespace
}  // namespace heliostat::training_run
