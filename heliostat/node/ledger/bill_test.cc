#include "heliostat/node/ledger/bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/node/ledger/testing/plausible_run.h"

namespace heliostat::ledger {
namespace {

using ::testing::DoubleNear;

// One GPU, one hour at 350 W: 10 000 steps at 400 g/kWh and 0.25 EUR/kWh. At the default 700 W these take 0.8 h.
Run OneHour() {
  ledger::Run run;
  run.begin = PlausibleBegin();
  run.begin.currency = Currency::Eur();
  Period period;
  period.start = run.begin.start;
  period.end = period.start + Duration(3600);
  period.elapsed = Seconds(3600);
  period.level = 350;
  period.energy = {KilowattHours(0.35)};
  period.carbon_g_per_kwh = 400;
  period.price_per_kwh = 0.25;
  period.steps = 10'000;
  period.at_default = LevelPrediction{700, {700, 7}, {10'000 / 2880.0, 0}};
  period.at_optimum = LevelPrediction{350, {340, 5}, {10'000 / 3600.0, 0.1}};
  run.periods = {period};
  return run;
}

void ExpectNear(double a, double b) { RC_ASSERT(std::abs(a - b) <= 1e-9 * (1.0 + std::abs(b))); }

void ExpectNear(const Estimate& a, const Estimate& b) {
  const double room = 1e-9 * (1.0 + std::abs(b.value));
  RC_ASSERT(std::abs(a.value - b.value) <= room);
  RC_ASSERT(std::abs(a.error - b.error) <= room);
}

void ExpectNear(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
  RC_ASSERT(a.has_value() == b.has_value());
  if (a) ExpectNear(*a, *b);
}

void ExpectNear(const Counterfactual& a, const Counterfactual& b) {
  ExpectNear(a.energy_j, b.energy_j);
  ExpectNear(a.carbon_g, b.carbon_g);
  ExpectNear(a.cost, b.cost);
  ExpectNear(a.time_s, b.time_s);
  ExpectNear(a.carbon_saved_percent, b.carbon_saved_percent);
  ExpectNear(a.slowdown_percent, b.slowdown_percent);
  ExpectNear(a.known_share, b.known_share);
}

void ExpectNear(const Bill& a, const Bill& b) {
  ExpectNear(a.run.energy.value, b.run.energy.value);
  ExpectNear(a.run.carbon.value, b.run.carbon.value);
  ExpectNear(a.run.cost, b.run.cost);
  ExpectNear(a.run.time.count(), b.run.time.count());
  ExpectNear(a.steps, b.steps);
  ExpectNear(a.at_default, b.at_default);
  ExpectNear(a.at_optimum, b.at_optimum);
}

// An hour at the default, where a shadow would have set 350 W: 25 % more time at half of the power.
Run ShadowHour() {
  ledger::Run run = OneHour();
  run.begin.is_shadow = true;
  Period& period = run.periods.front();
  period.level = 700;
  period.energy = {KilowattHours(0.7)};
  period.at_default = period.at_optimum = std::nullopt;
  period.at_shadow = LevelPrediction{350, {350, 3.5}, {10'000 / 4500.0, 0}};
  return run;
}

TEST(BillTest, AShadowTellsWhatItWouldHaveSaved) {
  const Bill bill = BillOf(ShadowHour());
  const auto shadow = WouldHaveSaved(bill);
  ASSERT_TRUE(shadow);
  EXPECT_NEAR(shadow->carbon_saved_percent.value, 37.5, 1e-9);  // 350 W for 1.25 h instead of 700 W for 1 h
  EXPECT_NEAR(shadow->carbon_saved_percent.error, 0.625, 1e-9);
  EXPECT_NEAR(shadow->energy_saved_percent.value, 37.5, 1e-9);
  EXPECT_NEAR(shadow->slowdown_percent.value, 25.0, 1e-9);
  EXPECT_EQ(shadow->known_share, 1.0);
  EXPECT_EQ(*bill.from_start.carbon_saved_percent, (Estimate{0.0, 0.0})) << "the run itself has saved nothing";
}

TEST(BillTest, AShadowWithoutKnownSpeedsEstimatesNothing) {
  ledger::Run run = ShadowHour();
  run.periods.front().at_shadow.reset();
  EXPECT_FALSE(WouldHaveSaved(BillOf(run)));
  EXPECT_FALSE(WouldHaveSaved(BillOf(ledger::Run{})));
}

TEST(BillTest, AShadowThatWouldHaveStayedAtTheDefaultSavesNothing) {
  ledger::Run run = ShadowHour();
  run.periods.front().at_shadow = LevelPrediction{700, {690, 3.5}, {2, 0.1}};
  EXPECT_EQ(WouldHaveSaved(BillOf(run))->carbon_saved_percent, (Estimate{0.0, 0.0}));
}

TEST(BillTest, WhatOthersUsedIsToldAndNotCharged) {
  ledger::Run run = OneHour();
  run.periods.front().others = {KilowattHours(0.2)};
  const Bill bill = BillOf(run);
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.run.energy), 0.35);
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.others), 0.2);
  EXPECT_EQ(bill.shared, Seconds(3600));
}

TEST(BillTest, TheMachinesEnergyIsChargedWhereThereIsNoGpu) {
  ledger::Run run = OneHour();
  run.begin.gpus.clear();
  run.periods.front().energy.clear();
  run.periods.front().host_energy = KilowattHours(0.1);
  const Bill bill = BillOf(run);
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.run.energy), 0.1);
  EXPECT_DOUBLE_EQ(bill.run.carbon.value, 40.0);
}

TEST(BillTest, TheProgramsOwnCountOfStepsIsTold) {
  ledger::Run run = OneHour();
  EXPECT_EQ(BillOf(run).steps_done, 10'000);
  run.end = EndRecord{run.last(), 0, "exited", 15'000};
  EXPECT_EQ(BillOf(run).steps_done, 15'000);
  EXPECT_EQ(BillOf(run).steps, 10'000);
}

TEST(BillTest, ChargesEnergyAtTheIntensityAndPriceOfItsMoment) {
  const Bill bill = BillOf(OneHour());
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.run.energy), 0.35);
  EXPECT_DOUBLE_EQ(bill.run.carbon.value, 140.0);
  EXPECT_DOUBLE_EQ(bill.run.cost, 0.0875);
  EXPECT_DOUBLE_EQ(bill.run.time.count(), 3600);
  EXPECT_DOUBLE_EQ(bill.steps, 10'000);
}

TEST(BillTest, ComparesWithTheSameStepsAtTheDefault) {
  const Counterfactual other = BillOf(OneHour()).at_default;
  EXPECT_NEAR(other.time_s.value, 2880, 1e-9);
  EXPECT_NEAR(other.energy_j.value, 0.56 * kJoulesPerKwh, 1e-6);
  EXPECT_NEAR(other.carbon_g.value, 224, 1e-9);
  EXPECT_NEAR(other.cost.value, 0.14, 1e-12);
  EXPECT_NEAR(other.carbon_g.error, 2.24, 1e-9) << "one percent of power";
  EXPECT_NEAR(other.carbon_saved_percent->value, 37.5, 1e-9);
  EXPECT_NEAR(other.carbon_saved_percent->error, 0.625, 1e-9);
  EXPECT_NEAR(other.slowdown_percent->value, 25, 1e-9);
  EXPECT_NEAR(other.slowdown_percent->error, 0, 1e-9);
  EXPECT_DOUBLE_EQ(other.known_share, 1.0);
}

// Half speed for an hour at 400 g/kWh, full speed for an hour at 100: at full speed from the start, all of the first
// hour's work and a third of the second's would have been done in the dirty hour.
TEST(BillTest, FromTheSameStartTheWorkIsDoneSoonerAtTheIntensitiesOfThen) {
  ledger::Run run = OneHour();
  run.begin.currency.reset();
  Period& first = run.periods[0];
  first.price_per_kwh.reset();
  first.at_default = LevelPrediction{700, {700, 0}, {10'000 / 1800.0, 0}};
  Period second = first;
  second.start = first.end;
  second.end = second.start + Duration(3600);
  second.level = 700;
  second.steps = 20'000;
  second.energy = {KilowattHours(0.7)};
  second.carbon_g_per_kwh = 100;
  run.periods.push_back(second);
  const Bill bill = BillOf(run);
  EXPECT_NEAR(bill.from_start.time_s.value, 5400, 1e-6);
  EXPECT_NEAR(bill.from_start.energy_j.value, KilowattHours(1.05).value, 1e-3);
  EXPECT_NEAR(bill.from_start.carbon_g.value, 0.7 * 400 + 0.35 * 100, 1e-6);
  const auto grown = DefaultFromStart(run);
  ASSERT_EQ(grown.size(), 2U);
  EXPECT_NEAR(grown[0].elapsed.count(), 1800, 1e-6);
  EXPECT_NEAR(grown[0].carbon.value, 0.35 * 400, 1e-6);
  EXPECT_NEAR(grown[1].carbon.value, bill.from_start.carbon_g.value, 1e-6);
  EXPECT_NEAR(bill.at_default.carbon_g.value, 0.35 * 400 + 0.7 * 100, 1e-6);
  EXPECT_NEAR(bill.run.carbon.value, 0.35 * 400 + 0.7 * 100, 1e-6);
}

TEST(BillTest, WhatWasMeasuredAtALevelIsNotPredicted) {
  const Counterfactual other = BillOf(OneHour()).at_optimum;
  EXPECT_DOUBLE_EQ(other.carbon_g.value, 140) << "the run was at the optimum all the time";
  EXPECT_DOUBLE_EQ(other.carbon_g.error, 0);
  EXPECT_DOUBLE_EQ(other.carbon_saved_percent->value, 0);
  EXPECT_DOUBLE_EQ(other.known_share, 1.0);
}

TEST(BillTest, NodeAndPueArePaidForAsLongAsItTakes) {
  ledger::Run run = OneHour();
  run.begin.pue = 1.5;
  run.begin.node_power = Watts{500};
  const Bill bill = BillOf(run);
  EXPECT_NEAR(InKilowattHours(bill.run.energy), 1.5 * 0.85, 1e-12);
  EXPECT_NEAR(bill.at_default.energy_j.value / kJoulesPerKwh, 1.5 * (0.56 + 0.4), 1e-9);
}

TEST(BillTest, ErrorsOfPowerAndSpeedJoinAsARootOfSquares) {
  ledger::Run run = OneHour();
  run.periods[0].at_default->steps_per_s.error = 0.01 * run.periods[0].at_default->steps_per_s.value;
  const Counterfactual other = BillOf(run).at_default;
  EXPECT_NEAR(other.carbon_g.error, 2.24 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(other.time_s.error, 28.8, 1e-9);
}

TEST(BillTest, TimeAsideIsNeitherSavedNorLost) {
  ledger::Run run = OneHour();
  Period start_up = run.periods[0];
  start_up.steps = 0;
  start_up.aside = start_up.elapsed;
  start_up.aside_energy = start_up.total_energy();
  run.periods.push_back(start_up);
  const Bill with = BillOf(run);
  const Bill without = BillOf(OneHour());
  EXPECT_NEAR(with.at_default.carbon_g.value - with.run.carbon.value,
              without.at_default.carbon_g.value - without.run.carbon.value, 1e-9);
  EXPECT_NEAR(with.at_default.time_s.value, 2880 + 3600, 1e-9);
}

TEST(BillTest, WithoutAPredictionOrProgressAPeriodStandsForItself) {
  for (const bool has_progress : {false, true}) {
    ledger::Run run = OneHour();
    if (has_progress) {
      run.periods[0].at_default.reset();
    } else {
      run.periods[0].progress = ProgressSource::kNone;
    }
    const Bill bill = BillOf(run);
    EXPECT_DOUBLE_EQ(bill.at_default.carbon_g.value, 140);
    EXPECT_DOUBLE_EQ(bill.at_default.known_share, 0);
  }
}

TEST(BillTest, SaysWhatCouldNotBeCharged) {
  ledger::Run run = OneHour();
  run.periods.push_back(run.periods[0]);
  run.periods[1].carbon_g_per_kwh.reset();
  run.periods[1].price_per_kwh.reset();
  const Bill bill = BillOf(run);
  EXPECT_DOUBLE_EQ(bill.run.carbon.value, 140);
  EXPECT_NEAR(bill.at_default.carbon_g.value, 224, 1e-9) << "the same moments on both sides";
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.uncharged_energy), 0.35);
  EXPECT_DOUBLE_EQ(InKilowattHours(bill.unpriced_energy), 0.35);
}

TEST(BillTest, OfNothingIsNothing) {
  ledger::Run run;
  run.begin = PlausibleBegin();
  const Bill bill = BillOf(run);
  EXPECT_EQ(bill.run, Totals{});
  EXPECT_FALSE(bill.at_default.carbon_saved_percent);
  EXPECT_EQ(bill.at_default.known_share, 0.0);
}

// The same energy, intensity and price come to the same in a run, a plan and a simulation.
RC_GTEST_PROP(BillLaw, ARunIsChargedAsAPlanIs, (std::uint64_t seed)) {
  Run run = PlausibleRun(seed);
  run.begin.currency = Currency::Eur();
  run.begin.pue = 1.3;
  run.begin.node_power = Watts{120};
  account::Balance sum;
  for (const Period& period : run.periods) {
    sum += account::Settle(period.total_energy() + run.begin.node_power * period.elapsed,
                           {GramsPerKwh(period.carbon_g_per_kwh.value_or(0.0)),
                            {},
                            {},
                            period.price_per_kwh.value_or(0.0),
                            run.begin.pue});
  }
  const Bill bill = BillOf(run);
  RC_ASSERT(bill.run.energy == sum.facility);
  RC_ASSERT(bill.run.carbon == sum.carbon);
  RC_ASSERT(bill.run.cost == sum.cost);
}

RC_GTEST_PROP(BillLaw, PeriodsAddUpToTheTotal, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed);
  Totals sum;
  for (const Period& period : run.periods) {
    const Totals one = TotalsOf(period, run.begin);
    sum.energy += one.energy;
    sum.carbon += one.carbon;
    sum.cost += one.cost;
    sum.time += one.time;
    const double gpus = run.begin.pue * period.total_energy().value;
    RC_ASSERT(one.energy.value >= gpus * (1 - 1e-12));
  }
  RC_ASSERT(sum == BillOf(run).run);
}

RC_GTEST_PROP(BillLaw, WhereAPeriodIsCutChangesNothing, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed);
  const auto at = *rc::gen::inRange<std::size_t>(0, run.periods.size());
  const double share = *rc::gen::inRange(0, 1001) / 1000.0;
  ledger::Run cut = run;
  Period& first = cut.periods[at];
  Period second = first;
  const auto divide = [share](auto& part, auto& rest) {
    rest = part * (1.0 - share);
    part = part * share;
  };
  divide(first.elapsed, second.elapsed);
  divide(first.steps, second.steps);
  divide(first.aside, second.aside);
  divide(first.aside_energy, second.aside_energy);
  for (std::size_t gpu = 0; gpu < first.energy.size(); ++gpu) divide(first.energy[gpu], second.energy[gpu]);
  second.start = first.end = first.start + Duration(static_cast<std::int64_t>(first.elapsed.count()));
  cut.periods.insert(cut.periods.begin() + static_cast<std::ptrdiff_t>(at) + 1, second);
  ExpectNear(BillOf(cut), BillOf(run));
}

RC_GTEST_PROP(BillLaw, PartsPutTogetherCostTheSame, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed);
  ledger::Run whole = run;
  whole.periods = Decisions(run.periods);
  ExpectNear(BillOf(whole), BillOf(run));
}

RC_GTEST_PROP(BillLaw, WhereTheSignalStandsStillItDoesNotMatterWhen, (std::uint64_t seed)) {
  ledger::Run run = PlausibleRun(seed);
  for (Period& period : run.periods) {
    period.carbon_g_per_kwh = 350;
    period.price_per_kwh = 0.2;
  }
  const Bill bill = BillOf(run);
  ExpectNear(bill.from_start, bill.at_default);
}

RC_GTEST_PROP(BillLaw, ARunAtTheDefaultSavesNothing, (std::uint64_t seed)) {
  ledger::Run run = PlausibleRun(seed);
  for (Period& period : run.periods) period.level = run.begin.default_level;
  const Bill bill = BillOf(run);
  RC_ASSERT(std::abs(bill.at_default.energy_saved_percent->value) < 1e-9);
  RC_ASSERT(bill.at_default.carbon_g.error == 0.0);
}

RC_GTEST_PROP(BillLaw, PredictionsThatAreTrueGiveTheTrueSaving, (std::uint64_t seed)) {
  // A run at levels of its own, and the very same steps at the default: the bill of the first foretells the second.
  ledger::Run run = PlausibleRun(seed);
  ledger::Run at_default = run;
  const int gpus = static_cast<int>(run.begin.gpus.size());
  for (std::size_t i = 0; i < run.periods.size(); ++i) {
    run.periods[i].at_default = PredictionAt(700, gpus);
    run.periods[i].progress = ProgressSource::kReported;
    Period& other = at_default.periods[i];
    if (other.level == 700) continue;
    const Seconds stepping(other.steps / SpeedAt(700));
    other.elapsed = other.aside + stepping;
    for (Joules& one : other.energy) {
      one = other.aside_energy * (1.0 / gpus) + Watts{PowerAt(700)} * stepping;
    }
  }
  const Bill bill = BillOf(run);
  const Bill truth = BillOf(at_default);
  ExpectNear(bill.at_default.carbon_g.value, truth.run.carbon.value);
  ExpectNear(bill.at_default.time_s.value, truth.run.time.count());
  ExpectNear(bill.at_default.cost.value, truth.run.cost);
}

RC_GTEST_PROP(BillLaw, CarbonSoFarEndsAtTheBillOfEachPrefix, (std::uint64_t seed)) {
  const ledger::Run run = PlausibleRun(seed, 6);
  const CarbonSoFar so_far = CarbonSoFarOf(run);
  ledger::Run prefix = run;
  prefix.periods.clear();
  for (std::size_t i = 0; i < run.periods.size(); ++i) {
    prefix.periods.push_back(run.periods[i]);
    const Bill bill = BillOf(prefix);
    RC_ASSERT(so_far.run[i] == bill.run.carbon);
    RC_ASSERT(so_far.at_default_g[i] == bill.at_default.carbon_g);
    RC_ASSERT(so_far.at_optimum_g[i] == bill.at_optimum.carbon_g);
  }
}

TEST(BillTest, JsonNamesUnits) {
  const io::Json json = ToJson(BillOf(OneHour()), OneHour().begin);
  EXPECT_DOUBLE_EQ(*(*json.Get("carbon_g"))->Number(), 140);
  EXPECT_EQ(*(*json.Get("currency"))->Text(), "EUR");
  const io::Json* const other = *json.Get("default_same_moment");
  EXPECT_THAT(*(*other->Get("carbon_saved_percent"))->Number(), DoubleNear(37.5, 1e-9));
  EXPECT_THAT(*(*other->Get("carbon_saved_percent_error"))->Number(), DoubleNear(0.625, 1e-9));
}

}  // namespace
}  // namespace heliostat::ledger
