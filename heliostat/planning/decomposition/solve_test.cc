#include "heliostat/planning/decomposition/solve.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <cmath>

#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::decomposition {
namespace {

using scenario::Scenario;
using ::testing::IsEmpty;

scenario::Shape Small(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 6;
  shape.slots = 30;
  shape.gpus = 24;
  shape.groups = 2;
  shape.gpus_per_node = 4;
  shape.load = 0.3;
  shape.points_per_worker_count = 3;
  return shape;
}

scenario::Shape AnyShape() {
  scenario::Shape shape = Small(*rc::gen::inRange<std::uint64_t>(1, 100000));
  shape.jobs = *rc::gen::inRange<std::size_t>(0, 8);
  shape.slots = *rc::gen::element<std::size_t>(6, 6, 6, 12, 12, 30);
  shape.services = *rc::gen::inRange<std::size_t>(0, 3);
  shape.groups = *rc::gen::inRange<std::size_t>(1, 3);
  shape.best_effort = *rc::gen::element(0.0, 0.3);
  shape.in_one_piece = *rc::gen::element(0.0, 0.5);
  shape.renewable_share = *rc::gen::element(0.0, 0.3, 1.0);
  return shape;
}

plan::Outcome PlanOf(const Scenario& scenario, const plan::Weights& weights, const plan::Limits& limits = {}) {
  return Solve({scenario, weights, limits}, {});
}

constexpr plan::Weights kCarbon{1.0, 0.0, 0.0, 0.0};

// Some jobs have begun, some of them run, and some nodes sleep.
void BeginSome(Scenario& scenario) {
  for (const scenario::Group& group : scenario.groups) {
    auto& is_up = scenario.is_up.emplace_back();
    for (int node = 0; node < group.nodes; ++node) is_up.push_back(*rc::gen::arbitrary<bool>());
  }
  std::vector<int> used(scenario.groups.size(), 0);  // one node per job, so that all fit
  for (scenario::Job& job : scenario.jobs) {
    const auto group = *rc::gen::inRange<std::size_t>(0, scenario.groups.size());
    const auto points = scenario.PointsFor(job, group);
    if (points.empty() || !*rc::gen::arbitrary<bool>()) continue;
    const auto& all = scenario.training.Of(job.model, scenario.groups[group].gpu);
    const int workers = all[points[*rc::gen::inRange<std::size_t>(0, points.size())]].workers;
    job.submit = std::max(job.submit, scenario.start);
    job.begun = scenario::Begun{.group = group};
    const bool fits = workers <= scenario.groups[group].gpus_per_node && used[group] < scenario.groups[group].nodes;
    if (job.submit != scenario.start || !fits) continue;
    job.begun->workers = workers;
    job.begun->resume_left = std::min<Duration>(job.resume, Duration{*rc::gen::element(0, 20)});
    job.begun->nodes = {{used[group], workers}};
    scenario.is_up[group][static_cast<std::size_t>(used[group]++)] = true;
  }
}

TEST(Price, NeverBreaksAConstraintNorItsBound) {
  rc::check([] {
    Scenario scenario = scenario::Generate(AnyShape());
    if (*rc::gen::arbitrary<bool>()) scenario.performance = scenario::Performance::kHeadroom;
    plan::Limits limits;
    limits.right_sizing = *rc::gen::arbitrary<bool>();
    const plan::Weights weights =
        *rc::gen::element(kCarbon, plan::Weights{0.0, 1.0, 0.0, 0.0}, plan::Weights{0.0, 0.0, 1.0, 0.0},
                          plan::Weights{0.1, 0.0, 0.0, 1.0});
    if (*rc::gen::arbitrary<bool>()) BeginSome(scenario);
    const plan::Outcome outcome = PlanOf(scenario, weights, limits);
    if (!outcome.has_plan()) {
      RC_ASSERT(outcome.status == plan::Termination::kInfeasible || outcome.status == plan::Termination::kNoPlan);
      RC_ASSERT(!outcome.reason.empty());
      return;
    }
    const auto broken = plan::Violations(scenario, limits, outcome.plan());
    RC_ASSERT(broken == std::vector<std::string>{});
    RC_ASSERT(outcome.value >= outcome.bound - 1e-9 * std::abs(outcome.value));
    const double again = plan::ValueOf(weights, plan::ScoreOf(scenario, outcome.plan()));
    RC_ASSERT(std::abs(again - outcome.value) <= 1e-9 * std::max(1.0, std::abs(again)));
  });
}

TEST(Price, IsTheSameTwice) {
  const Scenario scenario = scenario::Generate(Small(7));
  const plan::Outcome a = PlanOf(scenario, kCarbon);
  const plan::Outcome b = PlanOf(scenario, kCarbon);
  ASSERT_TRUE(a.has_plan());
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.plan().nodes_on, b.plan().nodes_on);
}

// The result depends on the number of rounds, not on the clock.
TEST(Price, FindsTheSamePlanInTheSameNumberOfRounds) {
  const Scenario scenario = scenario::Generate(Small(9));
  plan::Rounds all;
  const plan::Outcome whole = Solve({scenario, kCarbon, {}}, {Seconds{60}, 1e-3, false, &all});
  ASSERT_TRUE(whole.has_plan());
  ASSERT_GT(all.done(), 5);
  EXPECT_FALSE(all.is_over());
  for (const int most : {0, 1, 3, all.done() - 1, all.done()}) {
    auto limited = plan::Rounds::AtMost(most);
    const plan::Outcome once = Solve({scenario, kCarbon, {}}, {Seconds{60}, 1e-3, false, &limited});
    int asked = 0;
    plan::Rounds stopped([&](int /*done*/) { return ++asked <= most; });
    const plan::Outcome again = Solve({scenario, kCarbon, {}}, {Seconds{60}, 1e-3, false, &stopped});
    EXPECT_EQ(limited.done(), most);
    EXPECT_EQ(stopped.done(), most);
    ASSERT_TRUE(once.has_plan()) << most;
    EXPECT_EQ(once.value, again.value);
    EXPECT_EQ(once.plan().nodes_on, again.plan().nodes_on);
    if (most == all.done()) EXPECT_EQ(once.value, whole.value);
  }
}

TEST(Price, AnImprovementEndsWithTheRoundsOfTheEffort) {
  const Scenario scenario = scenario::Generate(Small(9));
  plan::Rounds all;
  ASSERT_TRUE(Solve({scenario, kCarbon, {}}, {Seconds{60}, 1e-3, false, &all}).has_plan());
  const int most = all.done() + 2;
  auto limited = plan::Rounds::AtMost(most);
  plan::Rounds improving;
  const plan::Effort effort{.gap = 0.0, .proof = false, .rounds = &limited, .improving = &improving};
  ASSERT_TRUE(Solve({scenario, kCarbon, {}}, effort).has_plan());
  EXPECT_EQ(limited.done(), most);
  EXPECT_TRUE(limited.is_over());
  EXPECT_EQ(improving.done(), 2);
}

// What makes a problem easier cannot push its bound above a plan of the harder one.
TEST(Price, EasierNeverHurts) {
  rc::check([] {
    const Scenario hard = scenario::Generate(AnyShape());
    Scenario easy = hard;
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        for (Watts& power : easy.renewable) power.value = power.value * 1.5 + 100.0;
        break;
      case 1:
        for (auto& job : easy.jobs) {
          if (job.deadline) *job.deadline += Duration(3 * 3600);
        }
        break;
      default:
        for (auto& group : easy.groups) group.nodes += 1;
        for (auto& group : easy.groups) group.node_sleep = Watts{0.0};
    }
    const plan::Outcome harder = PlanOf(hard, kCarbon);
    if (!harder.has_plan()) return;
    const plan::Outcome easier = PlanOf(easy, kCarbon);
    RC_ASSERT(easier.bound <= harder.value * (1.0 + 1e-9));
  });
}

TEST(Price, ScalingAllIntensitiesScalesTheAnswer) {
  rc::check([] {
    const Scenario scenario = scenario::Generate(AnyShape());
    Scenario twice = scenario;
    for (CarbonIntensity& carbon : twice.carbon) carbon.value *= 2.0;
    twice.renewable_carbon.value *= 2.0;
    const plan::Outcome one = PlanOf(scenario, kCarbon);
    if (!one.has_plan()) return;
    const plan::Outcome two = PlanOf(twice, kCarbon);
    RC_ASSERT(std::abs(two.value - 2.0 * one.value) <= 0.02 * std::abs(two.value));
    RC_ASSERT(two.bound <= 2.0 * one.value * (1.0 + 1e-9));
    RC_ASSERT(2.0 * one.bound <= two.value * (1.0 + 1e-9));
  });
}

// One job on one type of GPU, with a constant signal and much time.
Scenario OneJob(double hours_of_window) {
  Scenario scenario;
  scenario.name = "one";
  scenario.start = *ParseInstant("2024-01-01T00:00:00Z", "");
  scenario.slots = 200;
  scenario.carbon.assign(scenario.slots, GramsPerKwh(300.0));
  scenario.renewable.assign(scenario.slots, Watts{0.0});
  scenario.groups = {{"g", "X", 1, 8, Watts{0.0}, Watts{0.0}, Watts{0.0}, Duration{0}, Joules{0.0}}};
  for (const int workers : {1, 2, 4, 8}) {
    for (const double watts : {100.0, 150.0, 200.0, 250.0, 300.0}) {
      // Joules per sample: least at 150 W, and always less with fewer workers.
      const double speed = (1.0 - std::exp(-watts / 110.0)) * std::pow(workers, 0.9) * (watts < 120.0 ? 0.6 : 1.0);
      scenario.training.Add("m", "X", {{std::nullopt, watts}, workers, speed * 100.0, Watts{watts * workers}});
    }
  }
  scenario.jobs = {{"j", "m", scenario.start, scenario.start + Duration(static_cast<int>(hours_of_window * 3600.0)),
                    3.0e6, 1, 8, true, Duration{0}}};
  return scenario;
}

TEST(Price, WithoutHasteAndWithAConstantSignalTheEnergyOptimalPointRuns) {
  const Scenario scenario = OneJob(200.0);
  const plan::Outcome outcome = PlanOf(scenario, kCarbon);
  ASSERT_TRUE(outcome.has_plan());
  const auto& points = scenario.training.Of("m", "X");
  std::size_t best = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto joules = [&](std::size_t k) { return points[k].power.value / points[k].samples_per_s; };
    if (joules(i) < joules(best)) best = i;
  }
  for (const plan::Segment& segment : outcome.plan().jobs[0].segments) EXPECT_EQ(segment.point, best);
  EXPECT_LT(plan::GapOf(outcome.value, outcome.bound), 1e-3);
}

// CarbonScaler's greedy: with concave speed-up take, hour by hour and worker by worker, what makes most samples for its
// carbon. Here power is the same for every worker, so the optimum is greedy over (hour, step in workers).
TEST(Price, OneJobWithConcaveSpeedUpGivesTheGreedyOptimum) {
  rc::check([] {
    Scenario scenario = OneJob(*rc::gen::inRange(12, 60));
    scenario.training = {};
    const double kappa = *rc::gen::element(0.5, 0.7, 0.9);
    for (int workers = 1; workers <= 8; ++workers) {
      const double speed = 10.0 * std::pow(workers, kappa);
      scenario.training.Add("m", "X", {{std::nullopt, 200.0}, workers, speed, Watts{200.0 * workers}});
    }
    for (CarbonIntensity& carbon : scenario.carbon) carbon = GramsPerKwh(*rc::gen::inRange(50, 600));
    const std::size_t hours = static_cast<std::size_t>((*scenario.jobs[0].deadline - scenario.start).count()) / 3600;
    scenario.jobs[0].samples = 36000.0 * static_cast<double>(hours) * *rc::gen::element(0.2, 0.5, 0.9);
    struct Step {
      double grams_per_sample = 0.0;
      double samples = 0.0;
    };
    std::vector<Step> steps;
    for (std::size_t t = 0; t < hours; ++t) {
      for (int w = 1; w <= 8; ++w) {
        const double more = 36000.0 * (std::pow(w, kappa) - std::pow(w - 1, kappa));
        steps.push_back({0.2 * InGramsPerKwh(scenario.carbon[t]) / more, more});
      }
    }
    std::ranges::sort(steps, {}, &Step::grams_per_sample);
    double left = scenario.jobs[0].samples;
    double grams = 0.0;
    for (const Step& step : steps) {
      const double taken = std::min(left, step.samples);
      grams += taken * step.grams_per_sample;
      left -= taken;
    }
    const plan::Outcome outcome = PlanOf(scenario, kCarbon);
    RC_ASSERT(outcome.has_plan());
    // The bound is the optimum; the plan has whole seconds and whole workers in a slot, and comes near it.
    RC_ASSERT(std::abs(outcome.bound - grams / 1000.0) <= 1e-4 * grams / 1000.0);
    RC_ASSERT(outcome.value >= grams / 1000.0 * (1.0 - 1e-6));
    RC_ASSERT(outcome.value <= grams / 1000.0 * 1.06);
  });
}

// Chase picks, for eta and the intensity now, the least of (eta P CI + (1 - eta) Pmax CImax) / speed; with a constant
// intensity that is Zeus' cost of energy and time. The planner meets the same trade-off through the worth of time.
TEST(Price, ChaseAtConstantIntensityIsZeusCost) {
  rc::check([] {
    const double eta = *rc::gen::inRange(1, 100) / 100.0;
    const double intensity = *rc::gen::inRange(50, 700);
    std::size_t chase = 0;
    std::size_t zeus = 0;
    double least_chase = 1e300;
    double least_zeus = 1e300;
    const Scenario scenario = OneJob(100.0);
    const auto& points = scenario.training.Of("m", "X");
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].workers != 1) continue;
      const double power = points[i].power.value;
      const double c = (eta * power * intensity + (1.0 - eta) * 300.0 * intensity) / points[i].samples_per_s;
      const double z = (eta * power + (1.0 - eta) * 300.0) / points[i].samples_per_s;
      if (c < least_chase) least_chase = c, chase = i;
      if (z < least_zeus) least_zeus = z, zeus = i;
    }
    RC_ASSERT(chase == zeus);
  });
}

TEST(Price, TheNextPlanBeginsFromTheLast) {
  const Scenario scenario = scenario::Generate(Small(11));
  SearchMemory memory;
  const plan::Outcome cold = Solve({scenario, kCarbon, {}}, {}, &memory);
  ASSERT_TRUE(cold.has_plan());
  ASSERT_NE(memory.content, nullptr);
  const plan::Outcome warm = Solve({scenario, kCarbon, {}}, {}, &memory);
  ASSERT_TRUE(warm.has_plan());
  EXPECT_LE(warm.value, cold.value * 1.05);
  EXPECT_LE(warm.bound, cold.value * (1.0 + 1e-9));
}

TEST(Price, TooLittleIsInfeasibleWithAReason) {
  Scenario scenario = OneJob(1.0);
  const plan::Outcome outcome = PlanOf(scenario, kCarbon);
  EXPECT_EQ(outcome.status, plan::Termination::kInfeasible);
  EXPECT_THAT(outcome.reason, ::testing::HasSubstr("job j"));
}

TEST(Price, ProvesThatGpusAreShort) {
  Scenario scenario = OneJob(20.0);
  scenario.jobs[0].min_workers = scenario.jobs[0].max_workers = 8;
  scenario.jobs[0].samples = 1.9e7;
  for (int i = 0; i < 3; ++i) {
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.jobs.back().id += std::to_string(i);
  }
  const plan::Outcome outcome = PlanOf(scenario, kCarbon);
  EXPECT_EQ(outcome.status, plan::Termination::kInfeasible) << outcome.reason;
  EXPECT_THAT(outcome.reason, ::testing::HasSubstr("GPUs are short"));
}

TEST(Price, KeepsAPowerCap) {
  const Scenario scenario = scenario::Generate(Small(5));
  const plan::Outcome free = PlanOf(scenario, kCarbon);
  ASSERT_TRUE(free.has_plan());
  double peak = 0.0;
  for (const auto& slot : free.score().slots) peak = std::max(peak, slot.facility.value / 3600.0);
  plan::Limits limits;
  limits.facility_cap = Watts{0.8 * peak};
  const plan::Outcome capped = PlanOf(scenario, kCarbon, limits);
  ASSERT_TRUE(capped.has_plan()) << capped.reason;
  EXPECT_THAT(plan::Violations(scenario, limits, capped.plan()), IsEmpty());
  EXPECT_LE(free.bound, capped.value);
}

}  // namespace
}  // namespace heliostat::decomposition
