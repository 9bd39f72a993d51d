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

const Catalogue& Library() {
  static const Catalogue catalogue({}, ScenarioRecipe{}.knob_steps, profile::Margin::kErrorBar);
  return catalogue;
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
  JobTally tally;
  const std::vector<DraftJob> pieces = CutOut(trace, recipe, Library(), frame, tally);
  RC_ASSERT(tally.in_trace == trace.jobs.size());
  RC_ASSERT(tally.in_trace == pieces.size() + tally.left_out());
  for (const DraftJob& piece : pieces) {
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
  JobTally tally;
  for (const DraftJob& piece : CutOut(trace, ScenarioRecipe{}, Library(), Frame(), tally)) {
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
  JobTally tally;
  const auto all = CutOut(trace, ScenarioRecipe{}, Library(), Frame(), tally);
  for (const DraftJob& piece : all) {
    Trace alone{.name = "alone", .jobs = {*std::ranges::find(trace.jobs, piece.job.id, &TraceJob::id)}};
    const auto pieces = CutOut(alone, ScenarioRecipe{}, Library(), Frame(), tally);
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

TEST(CutOut, ANameIsTheLibrarysModelItsAliasOrOneDrawnForTheName) {
  Trace trace{.name = "named", .jobs = {}};
  const auto add = [&](std::string model) {
    TraceJob job{.id = fmt::format("j{}", trace.jobs.size()), .length = Duration{60}};
    job.model = std::move(model);
    trace.jobs.push_back(std::move(job));
  };
  for (const char* name : {"resnet50", "imagenet", "bert", "ResNet-50", "unheard-of", "unheard-of"}) add(name);
  for (int i = 0; i < 50; ++i) add(fmt::format("net-{}", i));
  std::vector<std::string> models;
  JobTally tally;
  for (const DraftJob& piece : CutOut(trace, ScenarioRecipe{}, Library(), Frame(), tally))
    models.push_back(piece.job.model);
  ASSERT_EQ(models.size(), trace.jobs.size());
  EXPECT_THAT(std::vector(models.begin(), models.begin() + 4),
              ElementsAre("resnet50", "resnet50", "bert-base", "resnet50"));
  EXPECT_EQ(models[4], models[5]);
  for (const std::string& model : Library().ModelsFor(Frame().groups)) EXPECT_THAT(models, Contains(model));
}

TEST(Catalogue, ModelsAreThoseMeasuredOnOneOfTheGpusOrAllWhereNoneWas) {
  const std::vector<scenario::Group> a40{profile::GroupOf("A40", 1, 1)};
  for (const std::string& model : Library().ModelsFor(a40)) {
    const auto entries = profile::LibraryEntries();
    const auto entry = std::ranges::find_if(
        entries, [&](const profile::LibraryEntry& one) { return one.model == model && one.gpu == "A40"; });
    ASSERT_NE(entry, entries.end());
    EXPECT_NE(entry->origin, profile::Origin::kPredicted) << model;
  }
  EXPECT_EQ(Library().ModelsFor({}).size(), profile::TrainingModels().size());
}

TEST(Catalogue, NamesAreMatchedByWhatTheyMean) {
  const std::vector<std::string> models{"ncf-movielens-1m", "ResNet-50", "vit_b16-bf16"};
  EXPECT_EQ(MatchModel("ncf", models), "ncf-movielens-1m");
  EXPECT_EQ(MatchModel("resnet50", models), "ResNet-50");
  EXPECT_EQ(MatchModel("resnet50-imagenet", models), "ResNet-50");
  EXPECT_EQ(MatchModel("owner/ResNet_50", models), "ResNet-50");
  EXPECT_EQ(MatchModel("vit-b16", models), "vit_b16-bf16");
  EXPECT_EQ(MatchModel("resnet101", models), std::nullopt);
  EXPECT_EQ(MatchModel("--", models), std::nullopt);
  EXPECT_EQ(PlainModelName("bert_base_uncased-squad"), PlainModelName("BERT"));
}

profile::Measurement OwnRow(const char* model, double limit_w, double per_s, double watts) {
  profile::Measurement row{.model = model, .gpu = "T4"};
  row.batch = 64;
  row.knob.power_limit_w = limit_w;
  row.per_s = per_s;
  row.power = Watts{watts};
  return row;
}

TEST(Catalogue, OwnProfilesReplaceTheLibraryForTheirGpusAndAreScaled) {
  std::vector<profile::Measurement> own{OwnRow("ResNet-50", 50, 90, 49), OwnRow("ResNet-50", 70, 120, 68)};
  const Catalogue catalogue(own, 5, profile::Margin::kErrorBar);
  EXPECT_TRUE(catalogue.HasGpu("T4"));
  EXPECT_FALSE(catalogue.HasGpu("L4"));
  const scenario::Group group = catalogue.GroupOf("T4", 4, 4);
  EXPECT_EQ(group.gpu_idle, Watts{std::round(Catalogue::kIdleShare * 68)});
  const std::vector<scenario::Group> groups{group, catalogue.GroupOf("A40", 1, 8)};
  EXPECT_THAT(catalogue.ModelsFor(groups), ElementsAre("ResNet-50"));
  EXPECT_EQ(catalogue.ModelNamed("imagenet", groups), "ResNet-50");
  EXPECT_EQ(catalogue.ModelNamed("gpt2", groups), std::nullopt);
  const auto points = catalogue.TrainingPoints("ResNet-50", "T4", std::array{1, 8});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].samples_per_s, 120);
  EXPECT_GT(points[3].samples_per_s, 4 * 120);
  EXPECT_LT(points[3].samples_per_s, 8 * 120);
  EXPECT_LT(points[3].power.value, 8 * 68);
  // The user's model has the library's figures on the library's GPU.
  EXPECT_EQ(catalogue.TrainingPoints("ResNet-50", "A40", std::array{2}),
            Library().TrainingPoints("resnet50", "A40", std::array{2}));
  // A table of serving leaves training to the library.
  profile::Measurement serving{.model = "net", .gpu = "A40", .is_training = false};
  serving.per_s = 100;
  serving.latency = Seconds{0.01};
  serving.power = Watts{200};
  const Catalogue serves(std::vector{serving}, 5, profile::Margin::kErrorBar);
  EXPECT_EQ(serves.TrainingPoints("resnet50", "A40", std::array{2}),
            Library().TrainingPoints("resnet50", "A40", std::array{2}));
  EXPECT_THAT(serves.ServingModelsFor(groups), ElementsAre("net"));
  EXPECT_EQ(serves.InferencePoints("net", "A40", 6).size(), 1U);
  EXPECT_FALSE(catalogue.HasTraining("L4"));
  // An error that a table states makes plans cautious.
  own[1].speed_error = 0.2;
  own[1].power_error = 0.1;
  const Catalogue stated(own, 5, profile::Margin::kErrorBar);
  const scenario::TrainingPoint cautious = stated.TrainingPoints("ResNet-50", "T4", std::array{1}).back();
  EXPECT_DOUBLE_EQ(cautious.samples_per_s, 100);
  EXPECT_DOUBLE_EQ(cautious.power.value, 74.8);
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
  AddServices(recipe, Library(), scenario);
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
  AddServices(recipe, Library(), scenario);
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
