#include "heliostat/model/scenario/energy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::scenario {
namespace {

Group SomeGroup() {
  Group group;
  group.nodes = 4;
  group.gpus_per_node = 8;
  group.gpu_idle = Watts{30};
  group.node_base = Watts{350};
  group.node_sleep = Watts{15};
  group.wake_time = Duration{300};
  group.wake_energy = KilowattHours(0.02);
  return group;
}

bool Near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a) + std::abs(b)); }

TEST(ItEnergyTest, AddsUpWhatTheContractNames) {
  GroupUse use;
  use.nodes_on = Seconds(2 * 3600.0);
  use.nodes_off = Seconds(2 * 3600.0);
  use.busy_gpus = Seconds(5 * 3600.0);
  use.running = KilowattHours(1.1);
  use.wake_ups = 1;
  // 2 x 350 Wh on, 2 x 15 Wh off, 11 idle GPUs x 30 Wh, 1100 Wh of work, 20 Wh + 350 W x 5 min for the wake-up.
  EXPECT_NEAR(InKilowattHours(ItEnergy(SomeGroup(), use)) * 1e3, 700 + 30 + 330 + 1100 + 20 + 350 / 12.0, 1e-9);
}

TEST(ItEnergyTest, MoreGpusBusyThanOnIsNoSaving) {
  GroupUse use;
  use.busy_gpus = Seconds(8 * 3600.0);
  EXPECT_EQ(ItEnergy(SomeGroup(), use).value, 0.0);
}

TEST(SupplyTest, IsTheSlotsOwn) {
  Scenario s;
  s.step = Duration{1800};
  s.slots = 2;
  s.pue = 1.3;
  s.carbon = {GramsPerKwh(100), GramsPerKwh(200)};
  s.renewable = {Kilowatts(1), Kilowatts(4)};
  EXPECT_EQ(SupplyOf(s, 1).grid, GramsPerKwh(200));
  EXPECT_EQ(SupplyOf(s, 1).renewable, KilowattHours(2));
  EXPECT_EQ(SupplyOf(s, 1).pue, 1.3);
  EXPECT_EQ(SupplyOf(s, 1).price_per_kwh, 0.0) << "a scenario without prices";
  s.price_per_kwh = {0.1, 0.2};
  EXPECT_EQ(SupplyOf(s, 1).price_per_kwh, 0.2);
}

RC_GTEST_PROP(ItEnergyLaw, PartsOfASlotAddUpToTheSlot, ()) {
  const Group group = SomeGroup();
  GroupUse whole;
  Joules parts;
  for (int i = 0; i < 3; ++i) {
    GroupUse part;
    const int seconds = *rc::gen::inRange(1, 3600);
    const int on = *rc::gen::inRange(0, group.nodes + 1);
    part.nodes_on = Seconds(seconds) * on;
    part.nodes_off = Seconds(seconds) * (group.nodes - on);
    part.busy_gpus = Seconds(seconds) * *rc::gen::inRange(0, on * group.gpus_per_node + 1);
    part.running = Joules(*rc::gen::inRange(0, 1000000));
    part.wake_ups = *rc::gen::inRange(0, 3);
    whole.nodes_on += part.nodes_on;
    whole.nodes_off += part.nodes_off;
    whole.busy_gpus += part.busy_gpus;
    whole.running += part.running;
    whole.wake_ups += part.wake_ups;
    parts += ItEnergy(group, part);
  }
  RC_ASSERT(Near(parts.value, ItEnergy(group, whole).value));
}

}  // namespace
}  // namespace heliostat::scenario
