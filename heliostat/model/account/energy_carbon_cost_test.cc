#include "heliostat/model/account/energy_carbon_cost.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::account {
namespace {

Supply AnySupply() {
  Supply supply;
  supply.grid = GramsPerKwh(*rc::gen::inRange(0, 1000));
  supply.renewable = KilowattHours(*rc::gen::inRange(0, 300) / 10.0);
  supply.renewable_carbon = GramsPerKwh(*rc::gen::inRange(0, 60));
  supply.price_per_kwh = *rc::gen::inRange(-100, 500) / 1000.0;
  supply.pue = 1.0 + *rc::gen::inRange(0, 100) / 100.0;
  return supply;
}

bool Near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a) + std::abs(b)); }

TEST(SettleTest, RenewableGoesFirstAndTheGridCoversTheRest) {
  const Supply supply{GramsPerKwh(400), KilowattHours(3), GramsPerKwh(20), 0.25, 1.2};
  const Balance balance = Settle(KilowattHours(5), supply);
  EXPECT_NEAR(InKilowattHours(balance.facility), 6, 1e-9);
  EXPECT_NEAR(InKilowattHours(balance.renewable_used), 3, 1e-9);
  EXPECT_NEAR(InKilowattHours(balance.grid), 3, 1e-9);
  EXPECT_NEAR(InKilograms(balance.carbon), (3 * 400 + 3 * 20) / 1e3, 1e-9);
  EXPECT_NEAR(balance.cost, 0.75, 1e-9);
}

RC_GTEST_PROP(SettleLaw, EnergyIsConserved, ()) {
  const Supply supply = AnySupply();
  const Balance balance = Settle(KilowattHours(*rc::gen::inRange(0, 500) / 10.0), supply);
  RC_ASSERT(Near(balance.grid.value + balance.renewable_used.value, balance.it.value * supply.pue));
  RC_ASSERT(balance.renewable_used <= supply.renewable);
  RC_ASSERT(balance.grid >= Joules{0});
}

RC_GTEST_PROP(SettleLaw, MoreEnergyIsNeverLessCarbon, ()) {
  const Supply supply = AnySupply();
  const Joules less = KilowattHours(*rc::gen::inRange(0, 500) / 10.0);
  const Joules more = less + KilowattHours(*rc::gen::inRange(0, 500) / 10.0);
  RC_ASSERT(Settle(less, supply).carbon.value <= Settle(more, supply).carbon.value + 1e-9);
}

RC_GTEST_PROP(SettleLaw, WithoutPowerOnSiteItIsLinearInEnergy, ()) {
  Supply supply = AnySupply();
  supply.renewable = {};
  const Joules it = KilowattHours(*rc::gen::inRange(0, 500) / 10.0);
  const Balance whole = Settle(it, supply);
  const Balance joule = Settle(Joules{1.0}, supply);
  RC_ASSERT(Near(whole.facility.value, it.value * joule.facility.value));
  RC_ASSERT(Near(whole.carbon.value, it.value * joule.carbon.value));
  RC_ASSERT(Near(whole.cost, it.value * joule.cost));
}

TEST(ServingPowerTest, RisesFromIdleToBusyWithUtilisation) {
  EXPECT_EQ(ServingPower(Watts{30}, Watts{200}, 0.0), Watts{30});
  EXPECT_EQ(ServingPower(Watts{30}, Watts{200}, 0.5), Watts{115});
  EXPECT_EQ(ServingPower(Watts{30}, Watts{200}, 1.0), Watts{200});
}

}  // namespace
}  // namespace heliostat::account
