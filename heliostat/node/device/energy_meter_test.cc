#include "heliostat/node/device/energy_meter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::device {
namespace {

using device_model::CardModel;
using device_model::FindCardModel;
using device_model::LoadOf;
using device_model::SimulatedGpu;
using std::chrono::milliseconds;

// Ten seconds of a load that begins after four, sampled ten times per second.
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

// A card whose power and counter a test writes down.
class ScriptedGpu final : public Gpu {
 public:
  explicit ScriptedGpu(bool has_counter) { abilities_.has_energy_counter = has_counter; }
  std::optional<Watts> power = Watts{100};
  Result<Joules> count = Joules{0};
  int counter_reads = 0;

  const Identity& identity() const override { return identity_; }
  const Abilities& abilities() const override { return abilities_; }
  Result<Reading> Read() override {
    Reading reading;
    reading.power = power;
    return reading;
  }
  Result<Joules> Energy() override {
    ++counter_reads;
    return count;
  }
  Result<Details> Inspect() override { return Details{}; }
  Result<Setting> Stands(Knob knob) override { return Setting::Default(knob); }
  Result<Applied> Apply(const Setting& wanted) override { return Applied{wanted, wanted, SetOutcome::kAsAsked}; }

 private:
  Identity identity_{"GPU-1", "card", "", 0};
  Abilities abilities_;
};

const Result<Joules> kNoCount = Fail(ErrorCode::kUnavailable, "GPU 0", "is lost");

RC_GTEST_PROP(EnergyMeterLaws, ConstantPowerIsIntegratedExactlyHoweverItIsSampled, ()) {
  ScriptedGpu gpu(false);
  gpu.power = Watts{*rc::gen::inRange(1, 700) * 1.0};
  EnergyMeter meter;
  EnergyMeter::Time now{0};
  for (int i = *rc::gen::inRange(2, 40); i > 0; --i) {
    RC_ASSERT(meter.Sample(gpu, now).has_value());
    now += milliseconds(*rc::gen::inRange(1, 5000));
  }
  RC_ASSERT(meter.Sample(gpu, now, true).has_value());
  RC_ASSERT(meter.covered() == now);
  const double expected = gpu.power->value * Seconds(now).count();
  RC_ASSERT(std::abs(meter.energy().value - expected) <= 1e-9 * expected);
}

RC_GTEST_PROP(EnergyMeterLaws, WhatWasCountedNeverFallsWhateverTheCounterDoes, ()) {
  ScriptedGpu gpu(true);
  EnergyMeter meter(milliseconds(0));
  Joules before{0};
  for (int i = 0; i < 50; ++i) {
    gpu.power = Watts{*rc::gen::inRange(0, 700) * 1.0};
    const bool fails = *rc::gen::inRange(0, 5) == 0;
    gpu.count = fails ? kNoCount : Result<Joules>(Joules{*rc::gen::inRange(0, 100000) * 1.0});
    RC_ASSERT(meter.Sample(gpu, std::chrono::seconds(i)).has_value() == !fails);
    RC_ASSERT(meter.counted().value_or(Joules{0}) >= before);
    RC_ASSERT(meter.energy() >= meter.counted().value_or(Joules{0}));
    before = meter.counted().value_or(Joules{0});
  }
}

// With a counter that says what power says, counting and integrating agree wherever the counter was reset.
RC_GTEST_PROP(EnergyMeterLaws, AResetCostsNothingWherePowerIsKnown, ()) {
  ScriptedGpu gpu(true);
  EnergyMeter meter(std::chrono::seconds(*rc::gen::inRange(0, 5)));
  const int reset = *rc::gen::inRange(1, 30);
  double since = 5000;
  for (int i = 0; i <= 30; ++i) {
    if (i > 0) since += 100;
    if (i == reset) since = 0;
    gpu.count = Joules{since};
    RC_ASSERT(meter.Sample(gpu, std::chrono::seconds(i), i == 30).has_value());
  }
  RC_ASSERT(std::abs(meter.energy().value - 3000) < 1e-9);
}

TEST(EnergyMeterTest, TheCounterIsAskedNoOftenerThanSaidAndAtTheEnd) {
  ScriptedGpu gpu(true);
  EnergyMeter meter(std::chrono::seconds(10));
  for (int second = 0; second <= 35; ++second) ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(second)));
  EXPECT_EQ(gpu.counter_reads, 4);  // at 0, 10, 20 and 30
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(36), true));
  EXPECT_EQ(gpu.counter_reads, 5);
}

TEST(EnergyMeterTest, BetweenCountsPowerGoesOn) {
  ScriptedGpu gpu(true);
  EnergyMeter meter(std::chrono::seconds(10));
  gpu.count = Joules{1e6};
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(0)));
  EXPECT_EQ(meter.energy(), Joules{0});  // what the card took before is not this meter's
  gpu.count = Joules{1e6 + 900};         // power was read 100 W, the counter says 90
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(10)));
  EXPECT_EQ(meter.energy(), Joules{900});
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(12)));
  EXPECT_EQ(meter.energy(), Joules{1100});
  EXPECT_EQ(meter.counted(), Joules{900});
  EXPECT_EQ(meter.integrated(), Joules{1200});
}

TEST(EnergyMeterTest, WhatRanBeforeTheFirstCountIsKeptByPower) {
  ScriptedGpu gpu(true);
  EnergyMeter meter(std::chrono::seconds(1));
  gpu.count = kNoCount;
  EXPECT_FALSE(meter.Sample(gpu, std::chrono::seconds(0)));
  EXPECT_FALSE(meter.Sample(gpu, std::chrono::seconds(5)));
  EXPECT_EQ(meter.energy(), Joules{500});
  gpu.count = Joules{7000};
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(10)));
  EXPECT_EQ(meter.energy(), Joules{1000});
  gpu.count = Joules{7800};
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(20)));
  EXPECT_EQ(meter.energy(), Joules{1800});
}

TEST(EnergyMeterTest, ACardThatDoesNotTellItsPowerIsUnsupported) {
  ScriptedGpu gpu(true);
  gpu.power = std::nullopt;
  EnergyMeter meter;
  const auto sample = meter.Sample(gpu, std::chrono::seconds(0));
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().Line(), "GPU-1: does not report its power");
  EXPECT_EQ(meter.samples(), 0);
  EXPECT_EQ(meter.covered(), EnergyMeter::Time{0});
}

TEST(EnergyMeterTest, PowerThatRisesEvenlyIsIntegratedByItsMean) {
  ScriptedGpu gpu(false);
  EnergyMeter meter;
  for (int second = 0; second <= 10; ++second) {
    gpu.power = Watts{100.0 * second};
    ASSERT_TRUE(meter.Sample(gpu, std::chrono::seconds(second)));
  }
  EXPECT_DOUBLE_EQ(meter.energy().value, 5000);
  EXPECT_EQ(meter.counted(), std::nullopt);
}

TEST(EnergyMeterTest, OneSampleCoversNoTimeAndTookNoEnergy) {
  ScriptedGpu gpu(true);
  gpu.count = Joules{123};
  EnergyMeter meter;
  EXPECT_EQ(meter.energy(), Joules{0});
  EXPECT_EQ(meter.counted(), std::nullopt);
  ASSERT_TRUE(meter.Sample(gpu, std::chrono::hours(7), true));
  EXPECT_EQ(meter.energy(), Joules{0});
  EXPECT_EQ(meter.counted(), Joules{0});
  EXPECT_EQ(meter.covered(), EnergyMeter::Time{0});
  EXPECT_EQ(meter.samples(), 1);
}

}  // namespace
}  // namespace heliostat::device
