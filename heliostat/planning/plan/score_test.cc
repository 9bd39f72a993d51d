#include "heliostat/planning/plan/score.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/plan/testing/any_plan.h"

namespace heliostat::plan {
namespace {

using testing::At;

bool Near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a) + std::abs(b)); }

bool Near(const account::Balance& a, const account::Balance& b) {
  return Near(a.it.value, b.it.value) && Near(a.facility.value, b.facility.value) && Near(a.grid.value, b.grid.value) &&
         Near(a.renewable_used.value, b.renewable_used.value) && Near(a.carbon.value, b.carbon.value) &&
         Near(a.cost, b.cost);
}

double ItWattHours(const Score& score, std::size_t slot) { return InKilowattHours(score.slots[slot].it) * 1e3; }

// One group of two nodes with two GPUs, four slots, all energy from the grid.
scenario::Scenario TwoNodes() {
  scenario::Scenario s = testing::IdleCluster();
  s.slots = 4;
  s.carbon.resize(4);
  s.price_per_kwh.resize(4);
  s.renewable.assign(4, Watts{0});
  s.groups = {testing::GroupOf("a40", "A40", 2, 2)};
  return s;
}

TEST(ScoreTest, ComesToWhatSectionFiveSaysByHand) {
  scenario::Scenario s = TwoNodes();
  s.jobs = {testing::JobOf("one", 0, std::nullopt, 1e6)};
  Plan plan = EmptyPlan(s);
  // One worker at 280 W from 01:30 until 02:15, resuming included.
  plan.jobs[0].segments = {{{At(1.5), At(2.25)}, 0, 1}};
  plan.nodes_on = {{0, 1, 2, 0}};
  const Score score = ScoreOf(s, plan);
  const double wake_up = 20 + 350 / 12.0;
  EXPECT_NEAR(ItWattHours(score, 0), 2 * 15, 1e-9) << "no wake-up is charged to the first slot";
  EXPECT_NEAR(ItWattHours(score, 1), 350 + 15 + 1.5 * 30 + 0.5 * 280 + wake_up, 1e-9);
  EXPECT_NEAR(ItWattHours(score, 2), 700 + 3.75 * 30 + 0.25 * 280 + wake_up, 1e-9);
  EXPECT_NEAR(ItWattHours(score, 3), 2 * 15, 1e-9);
  EXPECT_EQ(score.wake_ups, 2);
  EXPECT_NEAR(InKilowattHours(score.slots[1].facility) * 1e3, 1.2 * ItWattHours(score, 1), 1e-9);
  EXPECT_NEAR(InKilograms(score.slots[1].carbon), ItWattHours(score, 1) * 1.2 / 1e3 * 400 / 1e3, 1e-9);
  EXPECT_NEAR(score.slots[1].cost, ItWattHours(score, 1) * 1.2 / 1e3 * 0.2, 1e-9);
}

TEST(ScoreTest, NodesThatAreOnFromTheFirstSlotWereNeverWoken) {
  scenario::Scenario s = TwoNodes();
  Plan plan = EmptyPlan(s);
  plan.nodes_on = {{2, 2, 0, 1}};
  EXPECT_EQ(ScoreOf(s, plan).wake_ups, 1);
  EXPECT_NEAR(ItWattHours(ScoreOf(s, plan), 0), 2 * 350 + 4 * 30, 1e-9);
}

TEST(ScoreTest, ServingGpusDrawByUtilisation) {
  scenario::Scenario s = TwoNodes();
  s.services = {testing::ServiceOf("front", {25, 25, 0, 0})};
  Plan plan = EmptyPlan(s);
  plan.services[0].slots[1] = testing::Serve(s, 0, 1, 0, 0, 2);
  plan.nodes_on = {{1, 1, 1, 1}};
  // A quarter of what two replicas can do: each GPU 30 W + a quarter of 60 W. The other slots idle.
  EXPECT_NEAR(ItWattHours(ScoreOf(s, plan), 1), 350 + 15 + 2 * 45, 1e-9);
  EXPECT_NEAR(ItWattHours(ScoreOf(s, plan), 2), 350 + 15 + 2 * 30, 1e-9);
}

RC_GTEST_PROP(ScoreLaw, TotalsAreTheSumsOfConservedSlots, ()) {
  const testing::AnyCase c = testing::DrawCase();
  const Score score = ScoreOf(c.scenario, c.plan);
  account::Balance total;
  for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
    const account::Balance& b = score.slots[slot];
    RC_ASSERT(Near(b.grid.value + b.renewable_used.value, b.facility.value));
    RC_ASSERT(Near(b.facility.value, b.it.value * c.scenario.pue));
    RC_ASSERT(b.renewable_used <= c.scenario.renewable[slot] * Seconds(c.scenario.step));
    total += b;
  }
  RC_ASSERT(Near(total, score.total));
}

RC_GTEST_PROP(ScoreLaw, TheRefereesSweepComesToTheSame, ()) {
  const testing::AnyCase c = testing::DrawCase();
  const Score score = ScoreOf(c.scenario, c.plan);
  const auto uses = SweepEvents(c.scenario, c.plan);
  for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
    Joules it;
    for (std::size_t g = 0; g < uses.size(); ++g) it += scenario::ItEnergy(c.scenario.groups[g], uses[g][slot].use);
    RC_ASSERT(Near(it.value, score.slots[slot].it.value));
  }
}

RC_GTEST_PROP(ScoreLaw, CuttingASegmentInTwoChangesNothing, (bool headroom)) {
  testing::AnyCase c = testing::DrawCase();
  c.scenario.performance = headroom ? scenario::Performance::kHeadroom : scenario::Performance::kThroughput;
  const Score before = ScoreOf(c.scenario, c.plan);
  for (JobPlan& job : c.plan.jobs) {
    if (job.segments.empty()) continue;
    const auto index = testing::Draw(0, static_cast<int>(job.segments.size()));
    const auto length = static_cast<int>(job.segments[static_cast<std::size_t>(index)].span.length().count());
    if (length < 2) continue;
    const Instant cut = job.segments[static_cast<std::size_t>(index)].span.begin + Duration{testing::Draw(1, length)};
    Segment second = job.segments[static_cast<std::size_t>(index)];
    second.span.begin = cut;
    job.segments[static_cast<std::size_t>(index)].span.end = cut;
    job.segments.insert(job.segments.begin() + index + 1, second);
  }
  const Score after = ScoreOf(c.scenario, c.plan);
  RC_ASSERT(Near(before.total, after.total));
  RC_ASSERT(Near(before.performance, after.performance));
  RC_ASSERT(before.wake_ups == after.wake_ups);
}

RC_GTEST_PROP(ScoreLaw, WorkOnItsOwnAddsUp, ()) {
  // Every node is on and all power is from the grid, so each job adds its power above idle, independent of other jobs.
  testing::AnyCase c = testing::DrawCase();
  c.scenario.renewable.assign(c.scenario.slots, Watts{0});
  for (std::size_t g = 0; g < c.scenario.groups.size(); ++g) {
    c.plan.nodes_on[g].assign(c.scenario.slots, c.scenario.groups[g].nodes);
  }
  Plan nothing = EmptyPlan(c.scenario);
  nothing.nodes_on = c.plan.nodes_on;
  const Score idle = ScoreOf(c.scenario, nothing);
  const Score all = ScoreOf(c.scenario, c.plan);
  Plan services = nothing;
  services.services = c.plan.services;
  double carbon = ScoreOf(c.scenario, services).total.carbon.value;
  double performance = ScoreOf(c.scenario, services).performance;
  for (std::size_t j = 0; j < c.scenario.jobs.size(); ++j) {
    Plan alone = nothing;
    alone.jobs[j] = c.plan.jobs[j];
    carbon += ScoreOf(c.scenario, alone).total.carbon.value - idle.total.carbon.value;
    performance += ScoreOf(c.scenario, alone).performance;
  }
  RC_ASSERT(Near(carbon, all.total.carbon.value));
  RC_ASSERT(Near(performance, all.performance));
}

RC_GTEST_PROP(ScoreLaw, OneMoreNodeOnThroughoutIsNeverLessEnergy, ()) {
  testing::AnyCase c = testing::DrawCase();
  for (scenario::Group& group : c.scenario.groups) ++group.nodes;
  const Score before = ScoreOf(c.scenario, c.plan);
  for (std::vector<int>& on : c.plan.nodes_on) {
    for (int& nodes : on) ++nodes;
  }
  const Score after = ScoreOf(c.scenario, c.plan);
  for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
    RC_ASSERT(after.slots[slot].facility > before.slots[slot].facility);
    RC_ASSERT(after.slots[slot].carbon.value >= before.slots[slot].carbon.value - 1e-9);
  }
}

RC_GTEST_PROP(ScoreLaw, LocalClocksMeanNothing, ()) {
  // The same work through the night in which clocks change, and half a year from it.
  testing::AnyCase c = testing::DrawCase();
  const Score summer = ScoreOf(c.scenario, c.plan);
  const Duration shift = *ParseInstant("2023-10-29T00:00:00Z", "test") - c.scenario.start;
  c.scenario.start += shift;
  for (scenario::Job& job : c.scenario.jobs) {
    job.submit += shift;
    if (job.deadline) *job.deadline += shift;
  }
  for (JobPlan& job : c.plan.jobs) {
    for (Segment& segment : job.segments) segment.span = {segment.span.begin + shift, segment.span.end + shift};
  }
  const Score autumn = ScoreOf(c.scenario, c.plan);
  RC_ASSERT(Near(summer.total, autumn.total));
  RC_ASSERT(Near(summer.performance, autumn.performance));
}

}  // namespace
}  // namespace heliostat::plan
