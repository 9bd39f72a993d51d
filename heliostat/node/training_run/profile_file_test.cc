#include "heliostat/node/training_run/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::training_run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ProfileRow RowAt(double limit, double speed) {
  return {.model = "net",
          .gpu = "H200",
          .workers = 1,
          .core_mhz = std::nullopt,
          .power_limit_w = limit,
          .samples_per_s = 256.0 * speed,
          .power = Watts{0.9 * limit},
          .batch = 256,
          .source = "measured",
          .error = 0.01,
          .pace = 1.0,
          .measured = Seconds(50)};
}

TEST(ProfileFileTest, WhatIsWrittenIsReadAgain) {
  std::vector<ProfileRow> rows{RowAt(300, 5), RowAt(700, 8)};
  rows[0].model = "a,\"b\"";
  rows[1].power_limit_w.reset();
  rows[1].pace = 0.5;
  const auto read = ReadProfileTable(ProfileTable(rows), "p.csv");
  ASSERT_TRUE(read) << read.error().Line();
  ASSERT_THAT(*read, SizeIs(2));
  EXPECT_EQ((*read)[0].model, rows[0].model);
  EXPECT_EQ((*read)[0].power_limit_w, 300);
  EXPECT_DOUBLE_EQ((*read)[0].samples_per_s, rows[0].samples_per_s);
  EXPECT_DOUBLE_EQ((*read)[0].error, 0.01);
  EXPECT_EQ((*read)[0].measured, Seconds(50));
  EXPECT_EQ((*read)[1].power_limit_w, std::nullopt);
  EXPECT_EQ((*read)[1].pace, 0.5);
}

TEST(ProfileFileTest, ColumnsBeyondThoseOfScenariosMayBeMissing) {
  const auto read = ReadProfileTable(
      "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w\nnet,H200,1,,300,100,290\n", "p.csv");
  ASSERT_TRUE(read) << read.error().Line();
  EXPECT_EQ(read->front().batch, 1);
  EXPECT_THAT(SpellsOf(*read, Knob::kPowerLimit, "NVIDIA H200", 1), SizeIs(1));
}

TEST(ProfileFileTest, ValuesThatNoMeasurementHasAreRefusedWithTheirLine) {
  const std::string header = "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,pace\n";
  for (const std::string row : {"n,H200,0,,300,100,290,1", "n,H200,1,,300,0,290,1", "n,H200,1,,300,100,-1,1",
                                "n,H200,1,,300,100,290,0", "n,H200,1,,300,100,290,1.5", "n,H200,1,,300,x,290,1"}) {
    const auto read = ReadProfileTable(header + row + "\n", "p.csv");
    ASSERT_FALSE(read) << row;
    EXPECT_EQ(read.error().where, "p.csv:2") << row;
  }
  EXPECT_FALSE(ReadProfileTable(header, "p.csv"));
  EXPECT_FALSE(ReadProfileTable("a,b\n1,2\n", "p.csv"));
}

TEST(ProfileFileTest, ARunTakesTheRowsOfItsModelGpuWorkersAndKnob) {
  std::vector<ProfileRow> rows{RowAt(300, 5), RowAt(700, 8)};
  const auto spells = SpellsOf(rows, Knob::kPowerLimit, "NVIDIA H200 (made up)", 1);
  ASSERT_THAT(spells, SizeIs(2));
  EXPECT_DOUBLE_EQ(spells[0].steps / spells[0].duration.count(), 5.0);
  EXPECT_DOUBLE_EQ((spells[0].energy / spells[0].duration).value, 270.0);
  EXPECT_THAT(SpellsOf(rows, Knob::kPowerLimit, "NVIDIA H200", 2), IsEmpty());
  EXPECT_THAT(SpellsOf(rows, Knob::kPowerLimit, "NVIDIA A40", 1), IsEmpty());
  EXPECT_THAT(SpellsOf(rows, Knob::kPace, "NVIDIA H200", 1), IsEmpty());

  EXPECT_THAT(*RowsOfModel(rows, "train", "p.csv"), SizeIs(2)) << "a file with one model is for any program";
  rows[1].model = "train";
  EXPECT_THAT(*RowsOfModel(rows, "train", "p.csv"), SizeIs(1));
  EXPECT_THAT(RowsOfModel(rows, "other", "p.csv").error().Line(), HasSubstr("2 models"));
}

TEST(ProfileFileTest, AProfileThatIsExpectedIsCheckedAndThenUsed) {
  level_control::SpeedProfile profile("key", Knob::kPowerLimit, {300, 500, 700});
  profile.Expect(SpellsOf(std::vector{RowAt(300, 5), RowAt(500, 7), RowAt(700, 8), RowAt(900, 9)}, Knob::kPowerLimit,
                          "NVIDIA H200", 1));
  ASSERT_THAT(profile.Options(), SizeIs(3));
  EXPECT_NEAR(profile.At(500)->speed, 7.0, 0.1);
  EXPECT_NEAR(profile.At(500)->speed_error / 7.0, 0.005, 0.003);
  const level_control::Merit merit{[](double speed, Watts power) { return power.value / speed; }, 0.0};
  EXPECT_EQ(profile.Next(merit), 700) << "checked where a check costs least";
}

TEST(ProfileFileTest, GpusHaveTheNamesOfTheLibrary) {
  EXPECT_EQ(GpuInProfiles("NVIDIA H200"), "H200");
  EXPECT_EQ(GpuInProfiles("NVIDIA H200 (made up)"), "H200");
  EXPECT_EQ(GpuInProfiles("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(GpuInProfiles("Tesla V100-PCIE-32GB"), "V100");
  EXPECT_EQ(GpuInProfiles("NVIDIA GeForce RTX 4090"), "RTX4090");
  EXPECT_EQ(GpuInProfiles("NVIDIA GH200 480GB"), "GH200 480GB") << "another card";
  EXPECT_EQ(GpuInProfiles("NVIDIA GeForce RTX 4090 Laptop GPU"), "RTX 4090 Laptop GPU");
  EXPECT_EQ(GpuInProfiles("NVIDIA L40S"), "L40S");
}

}  // namespace
}  // namespace heliostat::training_run
