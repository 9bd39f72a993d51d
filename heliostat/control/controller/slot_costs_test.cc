#include "heliostat/control/controller/slot_costs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::controller {
namespace {

constexpr Instant kBegin{std::chrono::seconds{1'795'000'500}};
constexpr Duration kStep{900};

struct Ahead {
  std::vector<CarbonIntensity> carbon;
  std::vector<double> price;
  SlotCosts Costs() const {
    policy::Forecast forecast;
    forecast.carbon = carbon;
    forecast.price_per_kwh = price;
    return {forecast, kBegin, kStep, 1.5};
  }
};

Ahead Some() {
  Ahead ahead;
  for (int s = *rc::gen::inRange(1, 30); s > 0; --s) {
    ahead.carbon.push_back(GramsPerKwh(*rc::gen::inRange(0, 900)));
    ahead.price.push_back(*rc::gen::inRange(-20, 50) / 100.0);
  }
  return ahead;
}

TEST(SlotCosts, AreThoseOfTheSlotsThatARunTouches) {
  const Ahead ahead{{GramsPerKwh(100), GramsPerKwh(300)}, {0.1, 0.2}};
  const auto cost = ahead.Costs().Of({kBegin + Duration{450}, kBegin + Duration{1350}}, Watts{4000});
  // 0.5 kWh in each slot, and half as much again for the site.
  EXPECT_NEAR(cost.carbon.value, 1.5 * (50 + 150), 1e-6);
  EXPECT_NEAR(cost.cost, 1.5 * (0.05 + 0.1), 1e-9);
}

TEST(SlotCosts, ContinueWithTheMean) {
  const Ahead ahead{{GramsPerKwh(100), GramsPerKwh(300)}, {}};
  const auto cost = ahead.Costs().Of({kBegin + Duration{9000}, kBegin + Duration{12600}}, Watts{1000});
  EXPECT_NEAR(cost.carbon.value, 1.5 * 200, 1e-6);
}

TEST(SlotCosts, AreNothingWhileNothingIsKnown) {
  EXPECT_FALSE(SlotCosts().is_known());
  EXPECT_EQ(SlotCosts().Of({kBegin, kBegin + kStep}, Watts{1000}).carbon.value, 0.0);
  EXPECT_EQ(SlotCosts().BestStart(kBegin, kBegin + kStep, kStep), kBegin);
  EXPECT_EQ(SlotCosts().Within(Joules{5}).high.carbon.value, 0.0);
}

// Law: a run costs what its parts cost, and never less or more than the bounds of its energy.
RC_GTEST_PROP(SlotCosts, OfPartsSumToTheWhole, ()) {
  const SlotCosts costs = Some().Costs();
  const int begin = *rc::gen::inRange(0, 20000);
  const int length = *rc::gen::inRange(1, 20000);
  const int cut = *rc::gen::inRange(0, length + 1);
  const auto of = [&](int from, int to) {
    return costs.Of({kBegin + Duration{from}, kBegin + Duration{to}}, Watts{700});
  };
  const auto whole = of(begin, begin + length);
  const double parts = (of(begin, begin + cut).carbon + of(begin + cut, begin + length).carbon).value;
  RC_ASSERT(std::abs(parts - whole.carbon.value) <= 1e-6 * (1 + parts));
  const auto bounds = costs.Within(Watts{700} * Seconds(length));
  RC_ASSERT(whole.carbon.value <= bounds.high.carbon.value * (1 + 1e-9) + 1e-6);
  RC_ASSERT(whole.carbon.value >= bounds.low.carbon.value * (1 - 1e-9) - 1e-6);
}

// Law: no second is a better start than the best one.
RC_GTEST_PROP(SlotCosts, BestStartIsTheBestOfAll, ()) {
  const SlotCosts costs = Some().Costs();
  const Instant earliest = kBegin + Duration{*rc::gen::inRange(0, 9000)};
  const Duration length{*rc::gen::inRange(1, 9000)};
  const Duration slack{*rc::gen::inRange(0, 9000)};
  const auto carbon = [&](Instant start) { return costs.Of({start, start + length}, Watts{1000}).carbon.value; };
  const Instant best = costs.BestStart(earliest, earliest + slack, length);
  RC_ASSERT(best >= earliest && best <= earliest + slack);
  for (Duration wait{0}; wait <= slack; wait += Duration{13}) {
    RC_ASSERT(carbon(best) <= carbon(earliest + wait) * (1 + 1e-7) + 1e-6);
  }
}

}  // namespace
}  // namespace heliostat::controller
