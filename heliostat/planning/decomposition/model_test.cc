#include "heliostat/planning/decomposition/model.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

std::vector<Vertex> AnyPoints() {
  std::vector<Vertex> points;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
    points.push_back({static_cast<double>(*rc::gen::inRange(1, 20)), static_cast<double>(*rc::gen::inRange(50, 400)),
                      points.size()});
  }
  return points;
}

// The least power at which a mixture of two points in time makes that many samples per second. Infinite when none does.
double LeastMixed(const std::vector<Vertex>& points, double samples_per_s) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vertex& a : points) {
    for (const Vertex& b : points) {
      if (a.samples_per_s > samples_per_s || b.samples_per_s < samples_per_s) continue;
      const double span = b.samples_per_s - a.samples_per_s;
      const double share = span > 0.0 ? (samples_per_s - a.samples_per_s) / span : 0.0;
      least = std::min(least, span > 0.0 ? a.watts + share * (b.watts - a.watts) : std::min(a.watts, b.watts));
    }
  }
  return least;
}

TEST(Worthwhile, IsFasterForMorePowerStepByStep) {
  rc::check([] {
    const std::vector<Vertex> points = AnyPoints();
    for (const bool mixtures : {false, true}) {
      const std::vector<Vertex> hull = Worthwhile(points, mixtures);
      RC_ASSERT(!hull.empty());
      for (std::size_t i = 1; i < hull.size(); ++i) {
        RC_ASSERT(hull[i].samples_per_s > hull[i - 1].samples_per_s);
        RC_ASSERT(hull[i].watts > hull[i - 1].watts);
      }
      const auto fastest = std::ranges::max(points, {}, &Vertex::samples_per_s);
      RC_ASSERT(hull.back().samples_per_s == fastest.samples_per_s);
    }
  });
}

TEST(Worthwhile, EachStepUpBuysSpeedAtAHigherPrice) {
  rc::check([] {
    const std::vector<Vertex> hull = Worthwhile(AnyPoints(), true);
    for (std::size_t i = 2; i < hull.size(); ++i) {
      const auto price = [&](std::size_t k) {
        return (hull[k].watts - hull[k - 1].watts) / (hull[k].samples_per_s - hull[k - 1].samples_per_s);
      };
      RC_ASSERT(price(i) > price(i - 1));
    }
  });
}

// The removed points are not needed: at any speed a mixture of the others takes as little power.
TEST(Worthwhile, LosesNoMixture) {
  rc::check([] {
    const std::vector<Vertex> points = AnyPoints();
    const std::vector<Vertex> hull = Worthwhile(points, true);
    for (const Vertex& point : points) {
      // A point slower than the slowest of the others takes no less power.
      const double speed = std::max(point.samples_per_s, hull.front().samples_per_s);
      RC_ASSERT(LeastMixed(hull, speed) <= LeastMixed(points, speed) + 1e-9);
    }
  });
}

TEST(Model, HasTheWindowOfEachJob) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Made made(Small(seed));
    const auto step = made.scenario.step.count();
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      const JobModel& job = made.model.jobs[j];
      const Interval window = made.scenario.WindowOf(made.scenario.jobs[j]);
      const auto first = static_cast<std::int64_t>(job.first_slot) * step + job.first_begin;
      const auto last = static_cast<std::int64_t>(job.first_slot + job.slot_count - 1) * step + job.last_end;
      EXPECT_EQ(made.scenario.start + Duration(first), window.begin);
      EXPECT_EQ(made.scenario.start + Duration(last), window.end);
      EXPECT_GT(job.last_end, 0);
      EXPECT_LE(job.last_end, step);
    }
  }
}

TEST(Model, RequiresWhatHasADeadlineOrMustBeFinished) {
  scenario::Shape shape = Small(3);
  shape.best_effort = 0.5;
  const Made free(shape);
  plan::Limits limits;
  limits.finish_best_effort = true;
  const Made all(shape, testing::kCarbon, limits);
  std::size_t best_effort = 0;
  for (std::size_t j = 0; j < free.model.jobs.size(); ++j) {
    EXPECT_EQ(free.model.jobs[j].required, free.scenario.jobs[j].deadline.has_value());
    EXPECT_TRUE(all.model.jobs[j].required);
    best_effort += free.model.jobs[j].required ? 0 : 1;
  }
  EXPECT_GT(best_effort, 0U) << "the scenario is no test";
}

// The tariff of a slot agrees with the account layer.
TEST(Model, PricesASlotAsTheAccountDoes) {
  rc::check([] {
    const plan::Weights weights{0.1 * *rc::gen::inRange(0, 20), 0.1 * *rc::gen::inRange(0, 20),
                                0.1 * *rc::gen::inRange(0, 20), 0.0};
    const Made made(Small(*rc::gen::inRange<std::uint64_t>(1, 1000)), weights);
    const auto t = *rc::gen::inRange<std::size_t>(0, made.model.slots);
    const double kwh = 0.1 * *rc::gen::inRange(0, 300);
    const account::Balance balance =
        account::Settle(KilowattHours(kwh / made.scenario.pue), scenario::SupplyOf(made.scenario, t));
    const double expected = weights.carbon_kg * InKilograms(balance.carbon) + weights.cost * balance.cost +
                            weights.energy_kwh * InKilowattHours(balance.facility);
    RC_ASSERT(std::abs(made.model.tariffs[t].Cost(kwh) - expected) <= 1e-9 * (1.0 + std::abs(expected)));
  });
}

TEST(Model, OtherWeightsChangeTariffsAndNothingElse) {
  Made made(Small(4));
  const Made other(Small(4), {0.0, 1.0, 0.0, 2.0});
  SetWeights(made.problem, {0.0, 1.0, 0.0, 2.0}, made.model);
  EXPECT_EQ(made.model.performance_weight, 2.0);
  for (std::size_t t = 0; t < made.model.slots; ++t) {
    EXPECT_EQ(made.model.tariffs[t].cheap, other.model.tariffs[t].cheap);
    EXPECT_EQ(made.model.tariffs[t].dear, other.model.tariffs[t].dear);
    EXPECT_EQ(made.model.tariffs[t].cap_kwh, other.model.tariffs[t].cap_kwh);
  }
  EXPECT_EQ(made.model.jobs.size(), other.model.jobs.size());
}

TEST(Model, ACapIsTheLimitOfEverySlot) {
  plan::Limits limits;
  limits.facility_cap = Kilowatts(2.0);
  const Made made(Small(4), testing::kCarbon, limits);
  EXPECT_TRUE(made.model.capped);
  EXPECT_LT(made.model.cap_share, 1.0);
  for (const SlotTariff& tariff : made.model.tariffs) EXPECT_DOUBLE_EQ(tariff.cap_kwh, 2.0);
}

}  // namespace
}  // namespace heliostat::decomposition
