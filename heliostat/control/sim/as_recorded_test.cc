// The policy as-recorded in the simulated cluster: the site as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heliostat/base/core/check.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/history/history.h"

namespace heliostat::sim {
namespace {

using namespace std::chrono_literals;
using history::HistoryScenario;
using history::SacctRun;

constexpr Instant kZero{std::chrono::sys_days{std::chrono::year{2024} / 3 / 1}};

// Jobs of a day on up to four nodes of two kinds, some of them requeued, some across the edges of the day. Whatever
// they use is what the nodes have, so such a record is always consistent.
std::vector<SacctRun> AnyRuns() {
  std::vector<SacctRun> runs;
  const int jobs = *rc::gen::inRange(1, 25);
  for (int id = 0; id < jobs; ++id) {
    const std::string kind = *rc::gen::element<std::string>("a100", "v100");
    const int hosts = *rc::gen::inRange(1, 4);
    const int gpus = hosts * *rc::gen::inRange(1, 4) + *rc::gen::inRange(0, 2);
    // The first is within the day.
    Instant at = kZero + Duration{id == 0 ? 0 : *rc::gen::inRange(-20'000, 86'399)};
    for (int part = 0; part < *rc::gen::element(1, 1, 1, 2, 3); ++part) {
      SacctRun run{.id = fmt::format("{}", id), .submit = at, .start = at};
      run.end = at + Duration{*rc::gen::inRange(1, 30'000)};
      run.gpus = {gpus, {{kind, gpus}}};
      const int first = *rc::gen::inRange(0, 4);
      for (int h = 0; h < hosts; ++h) run.hosts.push_back(fmt::format("{}-{}", kind, (first + h) % 4));
      at = *run.end + Duration{*rc::gen::inRange(0, 3000)};
      runs.push_back(std::move(run));
    }
  }
  std::ranges::stable_sort(runs, {}, &SacctRun::start);
  return runs;
}

HistoryScenario Made(std::vector<SacctRun> runs) {
  auto made = history::MakeFromDump({.name = "dump", .runs = std::move(runs)}, {.begin = kZero, .end = kZero + 24h},
                                    {.has_prices = false, .on_site = workload::OnSite::kNone});
  Check(made.has_value(), made ? "" : made.error().Line());
  return *std::move(made);
}

SimulatedRun Replayed(const scenario::Scenario& scenario, const char* name = "as-recorded") {
  const auto policy = policy::Make(name, {});
  const auto foresight = PerfectForesight(scenario, false);
  return Simulate(scenario, **policy, *foresight, {});
}

// Runs without a pause between them are one stretch of a plan.
std::vector<Interval> Stretches(const std::vector<Interval>& spans) {
  std::vector<Interval> joined;
  for (const Interval& span : spans) {
    if (!joined.empty() && joined.back().end == span.begin) {
      joined.back().end = span.end;
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

// Node-hours in which a node has no job, by the recorded nodes.
double IdleNodeHours(const scenario::Scenario& scenario) {
  std::map<std::pair<std::size_t, int>, std::vector<Interval>> used;
  double hours = 0.0;
  for (const scenario::Group& group : scenario.groups)
    hours += group.nodes * Seconds(scenario.horizon().length()).count();
  for (const scenario::Job& job : scenario.jobs) {
    for (const scenario::RecordedRun& run : job.recorded->runs) {
      for (const auto& share : run.nodes) used[{*job.recorded->group, share.node}].push_back(run.span);
    }
  }
  for (auto& [node, spans] : used) {
    std::ranges::sort(spans, {}, &Interval::begin);
    Instant until = scenario.start;
    for (const Interval& span : spans) {
      hours -= Seconds(std::max(span.end, until) - std::max(span.begin, until)).count();
      until = std::max(until, span.end);
    }
  }
  return hours / 3600.0;
}

RC_GTEST_PROP(AsRecordedTest, ReplayingARecordGivesItsStartsItsEndsAndItsNodes, ()) {
  const auto made = Made(AnyRuns());
  const SimulatedRun run = Replayed(made.scenario);
  double gpu_hours = 0.0;
  for (std::size_t i = 0; i < made.scenario.jobs.size(); ++i) {
    const scenario::Job& job = made.scenario.jobs[i];
    std::vector<Interval> recorded;
    std::vector<Interval> replayed;
    for (const auto& one : job.recorded->runs) recorded.push_back(one.span);
    for (const plan::Segment& segment : run.jobs[i].plan.segments) {
      replayed.push_back(segment.span);
      gpu_hours += job.max_workers * Seconds(segment.span.length()).count() / 3600.0;
    }
    RC_ASSERT(Stretches(replayed) == Stretches(recorded));
    RC_ASSERT(run.jobs[i].finish == recorded.back().end);
  }
  RC_ASSERT(std::abs(gpu_hours - made.gpu_hours) < 1e-6);
  RC_ASSERT(std::abs(run.idle_node_hours - IdleNodeHours(made.scenario)) < 1e-6);
}

RC_GTEST_PROP(AsRecordedTest, WithPowerSavingJobsAreLateByWakeUpsOnly, ()) {
  const auto made = Made(AnyRuns());
  const SimulatedRun awake = Replayed(made.scenario);
  const SimulatedRun asleep = Replayed(made.scenario, "as-recorded+sleep");
  for (std::size_t i = 0; i < made.scenario.jobs.size(); ++i) {
    if (asleep.jobs[i].finish) RC_ASSERT(*asleep.jobs[i].finish >= *awake.jobs[i].finish);
    if (asleep.wake_ups == 0) RC_ASSERT(asleep.jobs[i].finish == awake.jobs[i].finish);
  }
  RC_ASSERT(asleep.idle_node_hours <= awake.idle_node_hours + 1e-6);
}

// Two jobs on two nodes at a time; packing would put the second one beside the first.
TEST(AsRecordedTest, NodesWakeByName) {
  const auto run = [](const char* id, Duration begin, Duration end, const char* host) {
    return SacctRun{.id = id,
                    .submit = kZero,
                    .start = kZero + begin,
                    .end = kZero + end,
                    .gpus = {4, {{"a100", 4}}},
                    .hosts = {host}};
  };
  const auto made = Made({run("0", 0h, 1h, "n0"), run("00", 0h, 1h, "n0"), run("1", 6h, 10h, "n0"),
                          run("2", 12h, 16h, "n1"), run("3", 13h, 14h, "n0")});
  const SimulatedRun asleep = Replayed(made.scenario, "as-recorded+sleep");
  EXPECT_EQ(asleep.wake_ups, 3);
  EXPECT_EQ(asleep.jobs[4].plan.segments.at(0).span.begin, kZero + 13h + 8min);
  EXPECT_EQ(*asleep.jobs[3].finish, kZero + 16h + 8min);
}

}  // namespace
}  // namespace heliostat::sim
