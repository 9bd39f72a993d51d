#include "heliostat/control/sim/foresight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

scenario::Scenario Made(std::size_t slots) {
  scenario::Shape shape;
  shape.jobs = 6;
  shape.slots = slots;
  shape.services = 1;
  return scenario::Generate(shape);
}

// All of a forecast as plain numbers.
std::vector<double> Flat(const policy::Forecast& forecast) {
  std::vector<double> flat;
  for (const auto value : forecast.carbon) flat.push_back(value.value);
  for (const auto value : forecast.renewable) flat.push_back(value.value);
  for (const auto value : forecast.price_per_kwh) flat.push_back(value);
  for (const auto& rates : forecast.requests_per_s) flat.insert(flat.end(), rates.begin(), rates.end());
  return flat;
}

TEST(Foresight, PerfectIsTheTruth) {
  const auto scenario = Made(48);
  const auto foresight = PerfectForesight(scenario);
  const auto ahead = foresight->At(10);
  ASSERT_EQ(ahead.slots(), 38U);
  EXPECT_EQ(ahead.carbon[5].value, scenario.carbon[15].value);
  for (const scenario::Job* job : ahead.jobs) EXPECT_GT(job->submit, scenario.SlotSpan(10).begin);
  EXPECT_TRUE(PerfectForesight(scenario, false)->At(10).jobs.empty());
}

// A forecast must not depend on values later than its origin.
TEST(Foresight, ForecastsDependOnThePastAlone) {
  const auto scenario = Made(72);
  auto other = scenario;
  for (std::size_t t = 41; t < other.slots; ++t) {
    other.carbon[t] = other.carbon[t] * 3.0;
    other.renewable[t] = Watts{1.0};
    other.price_per_kwh[t] = 99.0;
    other.services[0].requests_per_s[t] = 1.0;
  }
  const auto one = ForecastForesight(scenario, {}, "auto");
  const auto two = ForecastForesight(other, {}, "auto");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(Flat((*one)->At(40)), Flat((*two)->At(40)));
  EXPECT_NE(Flat((*one)->At(42)), Flat((*two)->At(42)));
}

TEST(Foresight, WhatIsSaidDoesNotDependOnWhoAskedBefore) {
  const auto scenario = Made(60);
  const auto one = ForecastForesight(scenario, {}, "yesterday");
  const auto two = ForecastForesight(scenario, {}, "yesterday");
  for (const std::size_t slot : {3U, 30U, 50U}) (*two)->At(slot);
  EXPECT_EQ(Flat((*one)->At(55)), Flat((*two)->At(55)));
}

TEST(Foresight, ThePresentIsMeasuredAndAllValuesMakeSense) {
  const auto scenario = Made(60);
  const auto foresight = ForecastForesight(scenario, {}, "auto");
  ASSERT_TRUE(foresight);
  for (const std::size_t slot : {0U, 1U, 26U, 59U}) {
    const auto ahead = (*foresight)->At(slot);
    EXPECT_EQ(ahead.slots(), 60U - slot);
    EXPECT_DOUBLE_EQ(ahead.carbon[0].value, scenario.carbon[slot].value);
    for (const double value : Flat(ahead)) EXPECT_TRUE(std::isfinite(value));
    for (const auto value : ahead.renewable) EXPECT_GE(value.value, 0.0);
  }
}

TEST(Foresight, KnowsMoreWithAPast) {
  const auto scenario = Made(24);
  scenario::Past past;
  std::vector<double> waves;
  for (int h = 0; h < 24 * 14; ++h) waves.push_back(300.0 + 100.0 * std::sin(h * 3.14159 / 12.0));
  past.carbon = *signal::StepSeries::Make(scenario.start - std::chrono::hours{24 * 14}, Duration{3600}, waves);
  auto wavy = scenario;
  for (std::size_t t = 0; t < wavy.slots; ++t) {
    wavy.carbon[t] = GramsPerKwh(300.0 + 100.0 * std::sin(static_cast<double>(t) * 3.14159 / 12.0));
  }
  const auto error = [&](const scenario::Past& known) {
    const auto foresight = ForecastForesight(wavy, known, "auto");
    const auto ahead = (*foresight)->At(0);
    double sum = 0.0;
    for (std::size_t t = 0; t < wavy.slots; ++t) sum += std::abs(ahead.carbon[t].value - wavy.carbon[t].value);
    return sum;
  };
  EXPECT_LT(error(past), 0.2 * error({}));
}

TEST(Foresight, ADisturbedTruthErrsAsMuchAsAskedADayAhead) {
  const auto scenario = Made(168);
  const auto foresight = DisturbedForesight(scenario, 0.2, 5);
  double squares = 0.0;
  int count = 0;
  for (std::size_t slot = 0; slot + 30 < scenario.slots; ++slot) {
    const auto ahead = foresight->At(slot);
    const double relative = ahead.carbon[30].value / scenario.carbon[slot + 30].value - 1.0;
    squares += relative * relative;
    ++count;
    EXPECT_EQ(ahead.carbon[0].value, scenario.carbon[slot].value);
  }
  EXPECT_NEAR(std::sqrt(squares / count), 0.2, 0.08);
}

TEST(Foresight, RefusesAModelThatIsNotThere) {
  const auto scenario = Made(24);
  EXPECT_FALSE(ForecastForesight(scenario, {}, "oracle").has_value());
}

}  // namespace
}  // namespace heliostat::sim
