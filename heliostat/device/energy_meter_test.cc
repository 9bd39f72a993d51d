#include "heliostat/device/energy_meter.h"

#include <gtest/gtest.h>

#include "heliostat/device_model/simulated_gpu.h"

namespace heliostat::device {
namespace {

using device_model::CardModel;
using device_model::FindCardModel;
using device_model::LoadOf;
using device_model::SimulatedGpu;
using std::chrono::milliseconds;

// Ten seconds of a load that begins after four, sampled ten times a second.
EnergyMeter Measure(SimulatedGpu& gpu, EnergyMeter meter) {
  for (int tick = 0; tick <= 100; ++tick) {
    EXPECT_TRUE(meter.Sample(gpu, milliseconds(100 * tick), tick == 100));
    if (tick == 40) gpu.Run(LoadOf("resnet50", *FindCardModel("H200")));
    if (tick < 100) gpu.Advance(Seconds(0.1));
  }
  return meter;
}

TEST(EnergyMeterTest, FollowsTheCounterWhereThereIsOne) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  const EnergyMeter meter = Measure(gpu, EnergyMeter(std::chrono::seconds(3)));
  EXPECT_NEAR(meter.energy().value, gpu.Energy()->value, 1e-6);
  EXPECT_EQ(meter.covered(), std::chrono::seconds(10));
  EXPECT_EQ(meter.samples(), 101);
}

TEST(EnergyMeterTest, PowerAloneComesCloseToTheCounter) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  const EnergyMeter meter = Measure(gpu, EnergyMeter());
  EXPECT_NEAR(meter.integrated().value, gpu.Energy()->value, 0.01 * gpu.Energy()->value);
}

TEST(EnergyMeterTest, WithoutACounterItIntegratesPower) {
  CardModel card = *FindCardModel("H200");
  card.has_energy_counter = false;
  SimulatedGpu gpu(card, 0);
  const EnergyMeter meter = Measure(gpu, EnergyMeter());
  EXPECT_EQ(meter.counted(), std::nullopt);
  EXPECT_EQ(meter.energy(), meter.integrated());
  EXPECT_GT(meter.energy().value, 0.0);
}

TEST(EnergyMeterTest, ACounterThatStartsAnewDoesNotCountBackwards) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  EnergyMeter meter(milliseconds(0));
  gpu.Advance(Seconds(1000));
  ASSERT_TRUE(meter.Sample(gpu, milliseconds(0)));
  gpu.Advance(Seconds(1));
  gpu.Reload();
  ASSERT_TRUE(meter.Sample(gpu, milliseconds(1000)));
  gpu.Advance(Seconds(1));
  ASSERT_TRUE(meter.Sample(gpu, milliseconds(2000)));
  EXPECT_NEAR(meter.energy().value, 2 * 76, 1e-6);
}

TEST(EnergyMeterTest, AReadingThatFailsLeavesAGapThatTheNextOneCloses) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  EnergyMeter meter;
  ASSERT_TRUE(meter.Sample(gpu, milliseconds(0)));
  gpu.FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  EXPECT_FALSE(meter.Sample(gpu, milliseconds(500)));
  gpu.FailReads(std::nullopt);
  gpu.Advance(Seconds(1));
  ASSERT_TRUE(meter.Sample(gpu, milliseconds(1000)));
  EXPECT_NEAR(meter.integrated().value, 76, 1e-9);
}

}  // namespace
}  // namespace heliostat::device
