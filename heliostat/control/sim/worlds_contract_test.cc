// Properties of every policy in every world.
#include <gtest/gtest.h>

#include <array>

#include "heliostat/control/loop/driver.h"
#include "heliostat/control/loop/testing/desk_world.h"
#include "heliostat/control/loop/testing/paced_world.h"
#include "heliostat/control/loop/testing/stubborn_world.h"
#include "heliostat/control/loop/threaded_planning.h"
#include "heliostat/control/sim/outlook.h"
#include "heliostat/control/sim/world.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

using loop::testing::DeskWorld;
using loop::testing::StubbornWorld;

enum class Temper { kObedient, kStubborn, kDesk, kStubbornDesk };
constexpr Duration kDelay = std::chrono::minutes{12};

constexpr Duration kPlanningTime = std::chrono::minutes{4};

// How plans arrive: at once, after a time of the world, or from a thread.
enum class Plans { kInPlace, kTimed, kThreaded };

struct Case {
  std::string policy;
  Temper temper = Temper::kObedient;
  Plans planning = Plans::kInPlace;
};

std::vector<Case> AllCases() {
  std::vector<std::string> names{"run-now+sleep", "edf+sleep", "carbon-scaler+sleep", "ce-dla+sleep"};
  for (const policy::Info& info : policy::Policies()) names.emplace_back(info.name);
  std::vector<Case> cases;
  for (const std::string& name : names) {
    for (const Temper temper : {Temper::kObedient, Temper::kStubborn, Temper::kDesk, Temper::kStubbornDesk}) {
      cases.push_back({name, temper});
    }
  }
  for (const char* name : {"ca-rm-carbon", "ca-rm-performance", "ca-rm-ppc", "ce-dla", "ce-dla-drs"}) {
    cases.push_back({name, Temper::kStubborn, Plans::kTimed});
  }
  cases.push_back({"ca-rm-performance", Temper::kStubbornDesk, Plans::kTimed});
  cases.push_back({"ca-rm-performance", Temper::kStubbornDesk, Plans::kThreaded});
  cases.push_back({"ce-dla", Temper::kStubborn, Plans::kThreaded});
  return cases;
}

// Every slack is longer than a delay and a restart together.
scenario::Scenario Calm(std::uint64_t seed, bool is_short = false) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = is_short ? 5 : 8;
  shape.slots = is_short ? 30 : 48;
  shape.gpus = 32;
  shape.load = 0.1;
  shape.slack = 6.0;
  shape.best_effort = 0.0;
  scenario::Scenario scenario = scenario::Generate(shape);
  for (scenario::Job& job : scenario.jobs) *job.deadline += std::chrono::hours{6};
  // Later deadlines would lose slack to the horizon.
  std::erase_if(scenario.jobs, [&](const scenario::Job& job) { return *job.deadline > scenario.end(); });
  return scenario;
}

// Policies that search for plans take long: they run for two days in the stubborn world, and for a shorter time in the
// others. Plans from a thread arrive late on a busy machine and always need the two days.
bool IsShort(const Case& of) {
  const bool searches = of.policy.starts_with("ca-rm") || of.policy.starts_with("ce-dla");
  const bool is_hardest = of.temper == Temper::kStubborn && of.planning == Plans::kInPlace;
  return searches && !is_hardest && of.planning != Plans::kThreaded;
}

struct Outcome {
  std::vector<std::optional<Instant>> finish;  // [job of the scenario]
  Joules drawn;                                // by the parts of the cluster
  Joules metered;                              // by the cluster as a whole
  std::size_t violations = 0;
  int double_starts = 0;
  int disobeyed = 0;
};

// Replaces the policy by a new one of the same kind every `lifetime`.
void Drive(loop::World& world, loop::MovingOutlook& outlook, const Case& of, Duration lifetime, Outcome& outcome) {
  const std::string& name = of.policy;
  auto policy = *policy::Make(name, {});
  policy::TimedPlanning timed(kPlanningTime);
  loop::ThreadedPlanning threaded(std::chrono::seconds{2});
  policy::Planning* planning = of.planning == Plans::kTimed      ? static_cast<policy::Planning*>(&timed)
                               : of.planning == Plans::kThreaded ? &threaded
                                                                 : nullptr;
  loop::Driver driver(world, outlook, *policy, nullptr, planning);
  Instant born = world.now();
  do {
    if (world.now() - born >= lifetime) {
      auto next = *policy::Make(name, {});
      driver.Replace(*next);
      policy = std::move(next);
      born = world.now();
    }
    driver.Step();
  } while (driver.Wait());
  outcome.violations = driver.violations();
}

Outcome RunOnDesk(const scenario::Scenario& scenario, const Case& of, Duration lifetime) {
  DeskWorld desk(scenario);
  StubbornWorld stubborn(desk, kDelay);
  Outcome outcome;
  loop::World& seen = of.temper == Temper::kStubbornDesk ? static_cast<loop::World&>(stubborn) : desk;
  loop::testing::PacedWorld paced(seen);
  Drive(of.planning == Plans::kThreaded ? static_cast<loop::World&>(paced) : seen, desk, of, lifetime, outcome);
  outcome.finish.resize(scenario.jobs.size());
  for (const auto& [id, when] : desk.finished()) outcome.finish[desk.who().at(id)] = when;
  outcome.drawn = desk.of_jobs() + desk.of_idle_nodes();
  outcome.metered = desk.drawn();
  outcome.double_starts = stubborn.double_starts() + std::max(0, desk.most_gpus_over());
  outcome.disobeyed = stubborn.refused_or_delayed();
  return outcome;
}

Outcome RunIn(const scenario::Scenario& scenario, const Case& of, Duration lifetime,
              const SimulationOptions& options = {}) {
  if (of.temper == Temper::kDesk || of.temper == Temper::kStubbornDesk) return RunOnDesk(scenario, of, lifetime);
  SimulatedWorld world(scenario, options);
  StubbornWorld stubborn(world, kDelay);
  const auto foresight = PerfectForesight(scenario, false);
  SlotOutlook outlook(scenario, *foresight);
  Outcome outcome;
  loop::World& seen = of.temper == Temper::kStubborn ? static_cast<loop::World&>(stubborn) : world;
  loop::testing::PacedWorld paced(seen);
  Drive(of.planning == Plans::kThreaded ? static_cast<loop::World&>(paced) : seen, outlook, of, lifetime, outcome);
  const SimulatedRun run = world.Finish();
  for (const JobRun& job : run.jobs) outcome.finish.push_back(job.finish);
  for (std::size_t slot = 0; slot < run.slots.size(); ++slot) {
    outcome.drawn += run.draws[slot].sum();
    outcome.metered += run.slots[slot].it;
  }
  outcome.double_starts = stubborn.double_starts();
  outcome.disobeyed = stubborn.refused_or_delayed();
  return outcome;
}

class EveryWorld : public ::testing::TestWithParam<Case> {};

// One policy object for the whole time, and one that is restarted repeatedly.
TEST_P(EveryWorld, StartsNothingTwiceForgetsNoJobConservesEnergyAndIsOnTime) {
  for (const Duration lifetime : {std::chrono::hours{1000}, std::chrono::hours{5}}) {
    const auto scenario = Calm(lifetime > std::chrono::hours{5} ? 21 : 25, IsShort(GetParam()));
    const Outcome outcome = RunIn(scenario, GetParam(), lifetime);
    EXPECT_EQ(outcome.violations, 0U);
    EXPECT_EQ(outcome.double_starts, 0);
    EXPECT_NEAR(outcome.drawn.value, outcome.metered.value, 1e-9 * outcome.metered.value);
    for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
      ASSERT_TRUE(outcome.finish[j]) << scenario.jobs[j].id;
      // The clock of a simulated world is faster than a thread: plans arrive later than planning_time.
      if (GetParam().planning == Plans::kThreaded) continue;
      EXPECT_LE(*outcome.finish[j], *scenario.jobs[j].deadline) << scenario.jobs[j].id;
    }
  }
}

TEST_P(EveryWorld, LosesNoJobWithItsNode) {
  const auto scenario = Calm(23, IsShort(GetParam()));
  SimulationOptions options;
  options.seed = 5;
  options.faults.node_mtbf = std::chrono::hours{100};
  options.faults.repair = std::chrono::hours{2};
  const Outcome outcome = RunIn(scenario, GetParam(), std::chrono::hours{9}, options);
  EXPECT_EQ(outcome.violations, 0U);
  EXPECT_EQ(outcome.double_starts, 0);
  std::size_t done = 0;
  for (const auto& finish : outcome.finish) done += finish ? 1 : 0;
  EXPECT_GE(done + 1, scenario.jobs.size());  // one may have failed too late to be done again
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  constexpr std::array<const char*, 4> kTempers{"_obedient", "_stubborn", "_desk", "_stubborn_desk"};
  constexpr std::array<const char*, 3> kPlans{"", "_timed", "_threaded"};
  std::string name = info.param.policy + kTempers[static_cast<std::size_t>(info.param.temper)] +
                     kPlans[static_cast<std::size_t>(info.param.planning)];
  for (char& c : name) c = c == '-' || c == '+' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(PoliciesAndWorlds, EveryWorld, ::testing::ValuesIn(AllCases()), NameOf);

TEST(StubbornWorld, DisobeysOftenEnoughToMatter) {
  int disobeyed = 0;
  for (const std::uint64_t seed : {21, 25}) {
    disobeyed +=
        RunIn(Calm(seed), {"carbon-scaler", Temper::kStubborn, Plans::kInPlace}, std::chrono::hours{5}).disobeyed;
  }
  EXPECT_GT(disobeyed, 2);
}

}  // namespace
}  // namespace heliostat::sim
