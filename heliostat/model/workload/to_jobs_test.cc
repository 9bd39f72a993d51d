#include "heliostat/model/workload/to_jobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "heliostat/model/profile/library.h"
#include "heliostat/model/workload/queue.h"
#include "heliostat/model/workload/site.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

// Two groups of 16 and 8 GPUs over two days, without profiles.
scenario::Scenario Frame() {
  scenario::Scenario scenario;
  scenario.name = "frame";
  scenario.start = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};
  scenario.slots = 48;
  scenario.groups = {profile::GroupOf("A40", 4, 4), profile::GroupOf("V100", 2, 4)};
  return scenario;
}

Trace AnyTrace() {
  Trace trace{.name = "any", .jobs = {}};
  const int count = *rc::gen::inRange(1, 30);
  for (int i = 0; i < count; ++i) {
    TraceJob job{.id = fmt::format("j{}", i)};
    job.submit = Duration{*rc::gen::inRange(0, 3 * 86400)};
    job.length = Duration{*rc::gen::inRange(1, 40000)};
    job.gpus = *rc::gen::inRange(1, 100);
    if (*rc::gen::inRange(0, 3) == 0) job.deadline = Duration{*rc::gen::inRange(1, 90000)};
    job.is_best_effort = *rc::gen::inRange(0, 5) == 0;
    trace.jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(trace.jobs, {}, &TraceJob::submit);
  return trace;
}

RC_GTEST_PROP(CutOut, EveryPieceFitsTheClusterAndTheHorizon, ()) {
  const scenario::Scenario frame = Frame();
  ScenarioRecipe recipe;
  recipe.seed = *rc::gen::arbitrary<std::uint64_t>();
  recipe.trace_offset = Duration{*rc::gen::inRange(0, 86400)};
  recipe.elasticity = *rc::gen::inRange(1, 5);
  const Trace trace = AnyTrace();
  for (const DraftJob& piece : CutOut(trace, recipe, frame)) {
    RC_ASSERT(std::has_single_bit(static_cast<unsigned>(piece.workers)));
    RC_ASSERT(piece.workers <= 16);
    RC_ASSERT(piece.job.min_workers <= piece.workers && piece.workers <= piece.job.max_workers);
    RC_ASSERT(piece.job.max_workers <= 16);
    RC_ASSERT(piece.job.submit >= frame.start);
    RC_ASSERT(piece.job.submit + piece.window.value_or(piece.length) <= frame.end());
    if (piece.window) RC_ASSERT(*piece.window > piece.length + recipe.resume);
  }
}

RC_GTEST_PROP(CutOut, KeepsTheGpuHoursOfEveryJobItTakes, ()) {
  const Trace trace = AnyTrace();
  for (const DraftJob& piece : CutOut(trace, ScenarioRecipe{}, Frame())) {
    const auto job = std::ranges::find(trace.jobs, piece.job.id, &TraceJob::id);
    const double before = Seconds(job->length).count() * job->gpus / 3600.0;
    RC_ASSERT(std::abs(piece.gpu_hours() - before) <= piece.workers / 3600.0);
    RC_ASSERT(!job->is_best_effort || !piece.window);
    if (job->deadline && !job->is_best_effort) RC_ASSERT(piece.window.has_value());
  }
}

// The values drawn for a job depend on its id, not on other jobs.
RC_GTEST_PROP(CutOut, AJobIsTheSameWithoutItsNeighbours, ()) {
  const Trace trace = AnyTrace();
  const auto all = CutOut(trace, ScenarioRecipe{}, Frame());
  for (const DraftJob& piece : all) {
    Trace alone{.name = "alone", .jobs = {*std::ranges::find(trace.jobs, piece.job.id, &TraceJob::id)}};
    const auto pieces = CutOut(alone, ScenarioRecipe{}, Frame());
    RC_ASSERT(pieces.size() == 1U);
    RC_ASSERT(pieces[0].job == piece.job);
    RC_ASSERT(pieces[0].window == piece.window);
  }
}

RC_GTEST_PROP(ThinTo, KeepsOrderAndStaysBelowWhatWasAskedFor, ()) {
  std::vector<DraftJob> pieces;
  const int count = *rc::gen::inRange(0, 50);
  double all = 0.0;
  for (int i = 0; i < count; ++i) {
    DraftJob piece;
    piece.job.id = fmt::format("{:03}", i);
    piece.workers = 1 << *rc::gen::inRange(0, 4);
    piece.length = Duration{*rc::gen::inRange(60, 36000)};
    all += piece.gpu_hours();
    pieces.push_back(piece);
  }
  const double asked = *rc::gen::inRange(0, 400) * 1.0;
  std::vector<DraftJob> thinned = pieces;
  ThinTo(asked, 7, thinned);
  double kept = 0.0;
  for (const DraftJob& piece : thinned) kept += piece.gpu_hours();
  RC_ASSERT(kept <= asked + 1e-9);
  RC_ASSERT(std::ranges::is_sorted(thinned, {}, [](const DraftJob& piece) { return piece.job.id; }));
  if (asked >= all + 1e-9) RC_ASSERT(thinned.size() == pieces.size());
  // None of the skipped jobs would fit into the rest.
  for (const DraftJob& piece : pieces) {
    const bool is_kept = std::ranges::any_of(thinned, [&](const DraftJob& one) { return one.job.id == piece.job.id; });
    RC_ASSERT(is_kept || kept + piece.gpu_hours() > asked - 1e-9);
  }
}

TEST(ModelNamed, IsTheLibrarysOwnItsAliasOrOneDrawnForTheName) {
  const std::vector<std::string> models = ModelsFor(Frame().groups);
  EXPECT_EQ(ModelNamed("resnet50", models, 1), "resnet50");
  EXPECT_EQ(ModelNamed("imagenet", models, 1), "resnet50");
  EXPECT_EQ(ModelNamed("bert", models, 1), "bert-base");
  EXPECT_THAT(models, Contains(ModelNamed("unheard-of", models, 1)));
  EXPECT_EQ(ModelNamed("unheard-of", models, 1), ModelNamed("unheard-of", models, 1));
  std::vector<std::string> drawn;
  for (int i = 0; i < 50; ++i) drawn.push_back(ModelNamed(fmt::format("net-{}", i), models, 1));
  for (const std::string& model : models) EXPECT_THAT(drawn, Contains(model));
}

TEST(ModelsFor, AreThoseMeasuredOnOneOfTheGpusOrAllWhereNoneWas) {
  for (const std::string& model : ModelsFor({profile::GroupOf("A40", 1, 1)})) {
    const auto entries = profile::LibraryEntries();
    const auto entry = std::ranges::find_if(
        entries, [&](const profile::LibraryEntry& one) { return one.model == model && one.gpu == "A40"; });
    ASSERT_NE(entry, entries.end());
    EXPECT_NE(entry->origin, profile::Origin::kPredicted) << model;
  }
  EXPECT_EQ(ModelsFor({}).size(), profile::TrainingModels().size());
}

TEST(WorkerCounts, ArePowersOfTwoUpToTheMost) {
  DraftJob piece;
  EXPECT_THAT(WorkerCounts({}), ElementsAre(1));
  piece.job.max_workers = 8;
  EXPECT_THAT(WorkerCounts({DraftJob{}, piece}), ElementsAre(1, 2, 4, 8));
}

TEST(DefaultSpeed, IsThatOfTheHighestSettingAndSlowestOfTheGroupsThatHoldTheJob) {
  scenario::Scenario scenario = Frame();
  const auto add = [&](const char* gpu, int workers, std::optional<double> limit, double speed) {
    scenario::TrainingPoint point;
    point.workers = workers;
    point.knob.power_limit_w = limit;
    point.samples_per_s = speed;
    point.power = Watts{100};
    scenario.training.Add("net", gpu, point);
  };
  add("A40", 1, 100.0, 5);
  add("A40", 1, 300.0, 10);
  add("V100", 1, 250.0, 8);
  add("V100", 1, std::nullopt, 9);  // a knob that is not set is at its default
  add("A40", 16, 300.0, 90);
  EXPECT_EQ(DefaultSpeed(scenario, "net", "A40", 1), 10);
  EXPECT_EQ(DefaultSpeed(scenario, "net", "V100", 1), 9);
  EXPECT_EQ(DefaultSpeed(scenario, "net", "V100", 2), 0);
  EXPECT_EQ(SlowestSpeed(scenario, "net", 1), 9);
  EXPECT_EQ(SlowestSpeed(scenario, "net", 16), 90);
  EXPECT_EQ(SlowestSpeed(scenario, "net", 32), 0);
}

TEST(GpusForJobs, AreWhatServicesLeaveInTheLargestGroup) {
  scenario::Scenario scenario = Frame();
  EXPECT_THAT(GpusForJobs(scenario), ElementsAre(16, 8));
  scenario::Service service;
  service.max_replicas = 10;
  scenario.services = {service, service};
  EXPECT_THAT(GpusForJobs(scenario), ElementsAre(6, 0));
  scenario.services.push_back(service);
  EXPECT_THAT(GpusForJobs(scenario), ElementsAre(0, 0));
}

TEST(AddServices, KeepTheirShareBusyAndFollowTheShapeGiven) {
  scenario::Scenario scenario = Frame();
  ScenarioRecipe recipe;
  recipe.services = 2;
  recipe.serving_share = 0.25;
  recipe.rate_shape.assign(scenario.slots, 1.0);
  recipe.rate_shape[7] = 3.0;
  AddServices(recipe, scenario);
  ASSERT_EQ(scenario.services.size(), 2U);
  EXPECT_NE(scenario.services[0].id, scenario.services[1].id);
  for (const scenario::Service& service : scenario.services) {
    ASSERT_EQ(service.requests_per_s.size(), scenario.slots);
    EXPECT_NEAR(service.requests_per_s[7] / service.requests_per_s[6], 3.0, 1e-3);
    EXPECT_GE(service.max_replicas, service.min_replicas);
    EXPECT_GT(service.latency_slo.count(), 0.0);
    for (const scenario::Group& group : scenario.groups) {
      EXPECT_FALSE(scenario.inference.Of(service.model, group.gpu).empty());
    }
  }
  EXPECT_EQ(AllGpus(scenario), 24);
  EXPECT_EQ(AllGpuHours(scenario), 24 * 48);
}

TEST(AddServices, MadeRatesFollowTheDayAndTheWeekend) {
  scenario::Scenario scenario = Frame();
  scenario.slots = 24 * 7 * 4;
  ScenarioRecipe recipe;
  AddServices(recipe, scenario);
  const std::vector<double>& rates = scenario.services.at(0).requests_per_s;
  double weekdays = 0.0;
  double weekend = 0.0;
  std::array<double, 24> by_hour{};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    (i / 24 % 7 < 5 ? weekdays : weekend) += rates[i];
    by_hour[i % 24] += rates[i];
  }
  EXPECT_NEAR((weekend / 2) / (weekdays / 5), 0.75, 0.03);
  const auto peak = std::ranges::max_element(by_hour) - by_hour.begin();
  EXPECT_GE(peak, 9);
  EXPECT_LE(peak, 21);
  EXPECT_GT(std::ranges::max(by_hour), 2 * std::ranges::min(by_hour));
}

}  // namespace
}  // namespace heliostat::workload
