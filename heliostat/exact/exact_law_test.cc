// What holds for every problem, on small ones made at random.
#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/exact/testing/tiny.h"

namespace heliostat::exact {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters

scenario::Scenario AnyScenario() {
  const auto slots = *rc::gen::inRange<std::size_t>(2, 5);
  std::vector<double> carbon;
  for (std::size_t i = 0; i < slots; ++i) carbon.push_back(*rc::gen::inRange(50, 600));
  scenario::Scenario s = Cluster(carbon, *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 5));
  s.pue = 1.0 + 0.1 * *rc::gen::inRange(0, 5);
  s.groups[0].node_sleep = Watts{static_cast<double>(*rc::gen::inRange(0, 20))};
  s.groups[0].wake_energy = KilowattHours(0.01 * *rc::gen::inRange(0, 10));
  for (Watts& power : s.renewable) power = Watts{static_cast<double>(*rc::gen::inRange(-300, 600))};
  for (Watts& power : s.renewable) power = std::max(power, Watts{});
  for (std::size_t i = 0; i < slots; ++i) s.price_per_kwh.push_back(0.01 * *rc::gen::inRange(-5, 40));
  for (const int workers : {1, 2}) {
    for (int k = 1; k <= 3; ++k) {
      AddPoint(s, workers, workers * (4.0 + 2.0 * k), workers * (60.0 + 20.0 * k * k), 100.0 * k);
    }
  }
  const int jobs = *rc::gen::inRange(1, 4);
  for (int i = 0; i < jobs; ++i) {
    const double hours = *rc::gen::inRange(1, static_cast<int>(slots) + 1);
    const double work = 0.1 * *rc::gen::inRange(1, 9) * hours;
    scenario::Job& job = AddJob(s, work * 36000.0, hours);
    if (*rc::gen::inRange(0, 4) == 0) job.deadline.reset();
    job.resume = Duration{*rc::gen::element(0, 0, 90, 400)};
    job.preemptible = *rc::gen::inRange(0, 3) > 0;
    job.max_workers = *rc::gen::inRange(1, 3);
  }
  return s;
}

plan::Weights AnyWeights() { return *rc::gen::element(kCarbon, kCost, kEnergy); }

RC_GTEST_PROP(ExactLaw, APlanKeepsEverythingAndIsNotBelowItsBound, ()) {
  const scenario::Scenario s = AnyScenario();
  plan::Limits limits;
  limits.right_sizing = *rc::gen::inRange(0, 4) > 0;
  limits.finish_best_effort = *rc::gen::arbitrary<bool>();
  const plan::Outcome outcome = SolveTiny(s, AnyWeights(), limits, 1e-3);
  RC_TAG(std::string(plan::NameOf(outcome.status)));
  if (!outcome.has_plan()) RC_SUCCEED("nothing feasible");
  RC_ASSERT(plan::Violations(s, limits, outcome.plan()).empty());
  RC_ASSERT(outcome.bound <= outcome.value);
}

// Each job somewhere in its window at one point, until it is done.
plan::Plan AnyPlan(const scenario::Scenario& s) {
  plan::Plan plan = plan::EmptyPlan(s);
  for (std::size_t job = 0; job < s.jobs.size(); ++job) {
    const scenario::Job& who = s.jobs[job];
    const std::size_t point = *rc::gen::elementOf(s.PointsFor(who, 0));
    const double rate = s.training.Of(who.model, "G")[point].samples_per_s;
    const Duration length = who.resume + Duration{static_cast<std::int64_t>(std::ceil(who.samples / rate))};
    const Interval window = s.WindowOf(who);
    const std::int64_t room = std::max<std::int64_t>(0, (window.length() - length).count());
    const Instant begin = window.begin + Duration{*rc::gen::inRange<std::int64_t>(0, room + 1)};
    plan.jobs[job].segments.push_back({{begin, std::min(window.end, begin + length)}, 0, point});
  }
  plan.nodes_on[0].assign(s.slots, s.groups[0].nodes);
  for (std::size_t slot = 0; slot < s.slots; ++slot) {
    // No more than it takes, where that keeps everything.
    plan::Plan fewer = plan;
    fewer.nodes_on[0][slot] = *rc::gen::inRange(0, s.groups[0].nodes + 1);
    if (plan::Violations(s, {}, fewer).empty()) plan = fewer;
  }
  return plan;
}

// The bound is one on all plans, however loosely it was solved.
RC_GTEST_PROP(ExactLaw, NoPlanBeatsTheBound, ()) {
  const scenario::Scenario s = AnyScenario();
  const plan::Weights weights = AnyWeights();
  const plan::Outcome outcome = SolveTiny(s, weights, {}, 0.1);
  for (int i = 0; i < 20; ++i) {
    const plan::Plan plan = AnyPlan(s);
    if (!plan::Violations(s, {}, plan).empty()) continue;
    RC_ASSERT(outcome.has_plan());
    RC_ASSERT(plan::ValueOf(weights, plan::ScoreOf(s, plan)) >= outcome.bound - 1e-9);
  }
}

RC_GTEST_PROP(ExactLaw, ALaterDeadlineNeverRaisesTheBoundAboveThePlan, ()) {
  scenario::Scenario s = AnyScenario();
  const plan::Outcome before = SolveTiny(s, kCarbon);
  if (!before.has_plan()) RC_SUCCEED("nothing feasible");
  for (scenario::Job& job : s.jobs) {
    if (job.deadline) job.deadline = s.end();
  }
  // The former plan is still one, so that with it the answer is no worse.
  const plan::Outcome after = Solve({s, kCarbon, {}}, {Seconds{20.0}, 1e-4}, &before.plan());
  RC_ASSERT(after.has_plan());
  RC_ASSERT(after.value <= before.value + 1e-9);
  RC_ASSERT(after.bound <= before.value + 1e-9);
}

RC_GTEST_PROP(ExactLaw, TwiceTheCarbonIsTwiceTheValue, ()) {
  scenario::Scenario s = AnyScenario();
  const plan::Outcome once = SolveTiny(s, kCarbon, {}, 1e-6);
  if (!once.has_plan()) RC_SUCCEED("nothing feasible");
  for (CarbonIntensity& intensity : s.carbon) intensity = intensity * 2.0;
  const plan::Outcome twice = SolveTiny(s, kCarbon, {}, 1e-6);
  // Bounds agree to the solver's tolerance; plans of equal value may differ, and so may what whole seconds add.
  RC_ASSERT(std::abs(twice.bound - 2.0 * once.bound) <= 1e-4 * std::abs(twice.bound) + 1e-7);
}

}  // namespace
}  // namespace heliostat::exact
