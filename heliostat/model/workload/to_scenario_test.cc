#include "heliostat/model/workload/to_scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heliostat/model/scenario/read.h"
#include "heliostat/model/scenario/write.h"
#include "heliostat/model/workload/queue.h"
#include "heliostat/model/workload/to_jobs.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Le;

ScenarioRecipe SmallDay() {
  ScenarioRecipe recipe;
  recipe.slots = 48;
  recipe.hardware = {{"A40", 4, 4}, {"V100", 2, 4}};
  return recipe;
}

std::shared_ptr<const Trace> TraceOfOne(int gpus, Duration length, Duration submit = 1h) {
  Trace trace{.name = "one.csv", .jobs = {}};
  trace.jobs.push_back({.id = "only", .submit = submit, .length = length, .gpus = gpus});
  return std::make_shared<const Trace>(std::move(trace));
}

double SumKwh(const std::vector<Watts>& power, Duration step) {
  double sum = 0.0;
  for (const Watts one : power) sum += InKilowattHours(one * Seconds(step));
  return sum;
}

TEST(Make, IsDeterministicInTheSeed) {
  const auto first = Make(SmallDay());
  ASSERT_TRUE(first.has_value()) << first.error().Line();
  EXPECT_EQ(*first, *Make(SmallDay()));
  ScenarioRecipe other = SmallDay();
  other.seed = 2;
  EXPECT_NE(first->jobs, Make(other)->jobs);
  EXPECT_NE(first->carbon, Make(other)->carbon);
}

TEST(Make, GivesWhatFilesCanHold) {
  const auto made = Make(SmallDay());
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  const auto written = scenario::ToFiles(*made);
  ASSERT_TRUE(written.has_value());
  std::map<std::string, std::string> files;
  for (const scenario::File& file : *written) files[file.name] = file.text;
  const auto back = scenario::ReadText(files["scenario.toml"], "scenario.toml",
                                       [&](const std::string& path) -> Result<std::string> { return files[path]; });
  ASSERT_TRUE(back.has_value()) << back.error().Line();
  EXPECT_EQ(*back, *made);
}

// For any horizon of days and any work, every job has the properties that make a scenario solvable.
RC_GTEST_PROP(Make, GivesJobsThatCanBeDone, ()) {
  ScenarioRecipe recipe = SmallDay();
  recipe.seed = *rc::gen::arbitrary<std::uint64_t>();
  recipe.load = *rc::gen::inRange(0, 11) / 10.0;
  recipe.slack = 1.0 + *rc::gen::inRange(0, 50) / 10.0;
  recipe.best_effort = *rc::gen::inRange(0, 11) / 10.0;
  recipe.elasticity = *rc::gen::inRange(1, 5);
  recipe.services = *rc::gen::inRange<std::size_t>(0, 4);
  recipe.zone = *rc::gen::element<std::string>("solar-heavy", "wind-heavy", "duck-curve");
  const auto made = Make(recipe);
  RC_ASSERT(made.has_value());
  RC_ASSERT(made->services.size() == recipe.services);
  for (const scenario::Job& job : made->jobs) {
    RC_ASSERT(job.min_workers <= job.max_workers);
    if (!job.deadline) continue;
    RC_ASSERT(*job.deadline <= made->end());
    const double seconds = job.samples / SlowestSpeed(*made, job.model, job.max_workers);
    RC_ASSERT(job.submit + Duration{static_cast<std::int64_t>(seconds)} + job.resume <= *job.deadline);
  }
}

TEST(Make, ComesToTheLoadAskedFor) {
  ScenarioRecipe recipe;
  for (const double load : {0.1, 0.5, 0.7}) {
    recipe.load = load;
    recipe.elasticity = 1.0;
    EXPECT_NEAR(LoadOf(*Make(recipe)), load, 0.01 * load) << load;
    // The middle of a range that ends at one worker differs from the original number.
    recipe.elasticity = 4.0;
    EXPECT_NEAR(LoadOf(*Make(recipe)), load, 0.08 * load) << load;
  }
  recipe.elasticity = 1.0;
  recipe.load = 0.4;
  recipe.jobs = 300;
  const auto counted = Make(recipe);
  EXPECT_THAT(counted->jobs.size(), Le(300U));
  EXPECT_NEAR(LoadOf(*counted), 0.4, 0.01);
}

TEST(Make, ScalesOnSitePowerToItsShareAndKeepsItsShape) {
  ScenarioRecipe recipe = SmallDay();
  recipe.renewable_share = 0.2;
  const auto small = Make(recipe);
  recipe.renewable_share = 0.4;
  const auto large = Make(recipe);
  EXPECT_NEAR(SumKwh(large->renewable, 1h) / SumKwh(small->renewable, 1h), 2.0, 0.01);
  recipe.on_site = OnSite::kNone;
  EXPECT_EQ(SumKwh(Make(recipe)->renewable, 1h), 0.0);
}

TEST(Make, SizesAPlantByTheYearSoThatSeasonsDiffer) {
  ScenarioRecipe recipe = SmallDay();
  recipe.slots = 24 * 14;
  recipe.zone = "wind-heavy";
  recipe.start = std::chrono::sys_days{std::chrono::year{2023} / 12 / 10};
  const double winter = SumKwh(Make(recipe)->renewable, 1h);
  recipe.start = std::chrono::sys_days{std::chrono::year{2023} / 6 / 10};
  EXPECT_GT(SumKwh(Make(recipe)->renewable, 1h), 1.2 * winter);
}

TEST(Make, MixesHalfTheSunWithHalfTheWind) {
  ScenarioRecipe recipe = SmallDay();
  const auto of = [&](OnSite on_site) {
    recipe.on_site = on_site;
    return SumKwh(Make(recipe)->renewable, 1h);
  };
  EXPECT_NEAR(of(OnSite::kMixed), (of(OnSite::kSolar) + of(OnSite::kWind)) / 2.0, 1.0);
}

TEST(Make, WithATraceKeepsGpuHoursWhateverTheClusterCanGive) {
  for (const int gpus : {1, 2, 3, 5, 8, 12, 100}) {
    ScenarioRecipe recipe = SmallDay();
    recipe.elasticity = 1.0;
    recipe.trace = TraceOfOne(gpus, 15min);
    const auto made = Make(recipe);
    ASSERT_TRUE(made.has_value()) << made.error().Line();
    ASSERT_EQ(made->jobs.size(), 1U) << gpus;
    const double all = 24.0 * 48.0;
    EXPECT_NEAR(LoadOf(*made) * all, gpus * 0.25, 0.01 * gpus) << gpus;
    EXPECT_EQ(made->jobs[0].min_workers, made->jobs[0].max_workers);
    EXPECT_EQ(made->jobs[0].submit, made->start + 1h);
  }
}

TEST(Make, TakesTheWindowOfATraceThatBeginsAtTheOffset) {
  Trace trace{.name = "t", .jobs = {}};
  for (int hour = 0; hour < 100; ++hour) {
    trace.jobs.push_back({.id = fmt::format("j{}", hour), .submit = 1h * hour, .length = 10min});
  }
  ScenarioRecipe recipe = SmallDay();
  recipe.slots = 24;
  recipe.slack = 2.0;
  recipe.trace = std::make_shared<const Trace>(std::move(trace));
  recipe.trace_offset = 50h;
  const auto made = Make(recipe);
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  EXPECT_EQ(made->jobs.front().id, "j50");
  EXPECT_EQ(made->jobs.front().submit, made->start);
  EXPECT_EQ(made->jobs.size(), 24U);
  recipe.trace_offset = 200h;
  EXPECT_THAT(Make(recipe).error().Line(), HasSubstr("no job that fits"));
}

TEST(Make, ThinsATraceToTheLoad) {
  Trace trace{.name = "t", .jobs = {}};
  for (int i = 0; i < 500; ++i) {
    trace.jobs.push_back({.id = fmt::format("j{}", i), .submit = Duration{i * 60}, .length = 1h, .gpus = 1 + i % 4});
  }
  ScenarioRecipe recipe = SmallDay();
  recipe.elasticity = 1.0;
  recipe.trace = std::make_shared<const Trace>(std::move(trace));
  recipe.load = 0.3;
  const auto made = Make(recipe);
  EXPECT_NEAR(LoadOf(*made), 0.3, 0.01);
  recipe.seed = 9;
  EXPECT_NE(Make(recipe)->jobs, made->jobs);
}

TEST(Make, KeepsATracesOwnModelsAndDeadlines) {
  Trace trace{.name = "t", .jobs = {}};
  trace.jobs.push_back(
      {.id = "a", .submit = 0s, .length = 1h, .gpus = 2, .model = "resnet101", .deadline = Duration{5h}});
  trace.jobs.push_back({.id = "b", .submit = 0s, .length = 1h, .model = "ncf", .is_best_effort = true});
  trace.jobs.push_back({.id = "c", .submit = 1s, .length = 1h, .model = "unheard-of"});
  trace.jobs.push_back({.id = "d", .submit = 2s, .length = 1h, .model = "unheard-of"});
  ScenarioRecipe recipe = SmallDay();
  recipe.best_effort = 0.0;
  recipe.trace = std::make_shared<const Trace>(std::move(trace));
  const auto made = Make(recipe);
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  ASSERT_EQ(made->jobs.size(), 4U);
  EXPECT_EQ(made->jobs[0].model, "resnet50");
  EXPECT_EQ(made->jobs[0].deadline, made->start + 5h);
  EXPECT_EQ(made->jobs[1].model, "ncf");
  EXPECT_FALSE(made->jobs[1].deadline.has_value());
  EXPECT_EQ(made->jobs[2].model, made->jobs[3].model);
}

TEST(Make, TakesSignalsInPlaceOfTheZones) {
  ScenarioRecipe recipe = SmallDay();
  const Interval month{recipe.start - 24h, recipe.start + 24h * 30};
  recipe.carbon = *synthetic::Generate({.zone = "hydro", .trace = synthetic::TraceKind::kCarbon, .interval = month});
  recipe.price = *synthetic::Generate({.zone = "hydro", .trace = synthetic::TraceKind::kPrice, .interval = month});
  recipe.renewable = *synthetic::Generate({.zone = "hydro", .trace = synthetic::TraceKind::kWind, .interval = month});
  const auto made = Make(recipe);
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  EXPECT_NEAR(InGramsPerKwh(made->carbon[5]), recipe.carbon->series.values()[24 + 5], 0.01);
  EXPECT_NEAR(made->price_per_kwh[5], recipe.price->series.values()[24 + 5], 1e-5);
  EXPECT_EQ(made->currency, *recipe.price->meaning.currency);
  const auto& wind = recipe.renewable->series.values();
  EXPECT_NEAR(made->renewable[5].value / made->renewable[6].value, wind[29] / wind[30], 0.01);
  recipe.carbon = recipe.price;
  EXPECT_THAT(Make(recipe).error().Line(), HasSubstr("must be carbon intensity"));
  recipe.carbon.reset();
  recipe.start += 24h * 30;
  EXPECT_THAT(Make(recipe).error().Line(), HasSubstr("needed are all of"));
}

// Two models on one GPU that the library does not have, with one worker.
std::vector<profile::Measurement> OwnT4() {
  std::vector<profile::Measurement> rows;
  for (const double limit : {50.0, 60.0, 70.0}) {
    profile::Measurement row{.model = "ResNet-50", .gpu = "T4"};
    row.batch = 64;
    row.knob.power_limit_w = limit;
    row.per_s = 60.0 + limit;
    row.power = Watts{limit - 2.0};
    rows.push_back(row);
    row.model = "ncf-movielens-1m";
    row.batch = 8192;
    row.per_s = 2e5 + limit;
    row.power = Watts{30.0};
    rows.push_back(row);
  }
  return rows;
}

TEST(Make, OwnProfilesMakeAScenarioOfTheirGpu) {
  ScenarioRecipe recipe = SmallDay();
  recipe.profiles = OwnT4();
  recipe.hardware = {{"T4", 4, 4}};
  recipe.nodes.base_w = 280.0;
  const auto made = Make(recipe);
  ASSERT_TRUE(made.has_value()) << made.error().Line();
  EXPECT_EQ(made->groups.front().gpu, "T4");
  EXPECT_EQ(made->groups.front().node_base, Watts{280.0});
  EXPECT_TRUE(made->services.empty());
  EXPECT_GT(made->jobs.size(), 5U);
  for (const scenario::Job& job : made->jobs) {
    EXPECT_THAT(job.model, ::testing::AnyOf("ResNet-50", "ncf-movielens-1m"));
  }
  // A serving table gives services.
  for (const int batch : {2, 8}) {
    profile::Measurement row{.model = "resnet50", .gpu = "T4", .is_training = false};
    row.batch = batch;
    row.per_s = 200.0 + batch;
    row.latency = Seconds{batch / row.per_s};
    row.power = Watts{60.0};
    recipe.profiles.push_back(row);
  }
  const auto served = Make(recipe);
  ASSERT_TRUE(served.has_value()) << served.error().Line();
  ASSERT_EQ(served->services.size(), recipe.services);
  EXPECT_GT(served->services.front().requests_per_s.front(), 0.0);
}

struct BadRecipe {
  const char* said;
  void (*spoil)(ScenarioRecipe&);
};
class RefusedRecipes : public ::testing::TestWithParam<BadRecipe> {};
TEST_P(RefusedRecipes, SayWhatIsWrong) {
  ScenarioRecipe recipe = SmallDay();
  GetParam().spoil(recipe);
  const auto made = Make(recipe);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().Line(), HasSubstr(GetParam().said));
}
INSTANTIATE_TEST_SUITE_P(
    All, RefusedRecipes,
    ::testing::Values(
        BadRecipe{"did you mean A40?", [](ScenarioRecipe& r) { r.hardware[0].gpu = "A41"; }},
        BadRecipe{"there is no profile of GPU 'T4'; the library has A40, V100, A100, H100, H200, RTX4090; "
                  "for T4, make one with heliostat profile measure",
                  [](ScenarioRecipe& r) { r.hardware[0].gpu = "T4"; }},
        BadRecipe{"has none of the GPUs of the given profiles: T4; groups such as T4:4x8",
                  [](ScenarioRecipe& r) { r.profiles = OwnT4(); }},
        BadRecipe{"mine.csv: asks for models gpt2, but the given profiles have ResNet-50, ncf-movielens-1m",
                  [](ScenarioRecipe& r) {
                    r.profiles = OwnT4();
                    r.hardware = {{"T4", 4, 4}};
                    Trace trace{.name = "mine.csv", .jobs = {TraceJob{.id = "j", .length = 1h}}};
                    trace.jobs.front().model = "gpt2";
                    r.trace = std::make_shared<const Trace>(std::move(trace));
                  }},
        BadRecipe{"there is no profile for training on GPU 'T4'; a table of training",
                  [](ScenarioRecipe& r) {
                    r.profiles = OwnT4();
                    for (profile::Measurement& row : r.profiles) {
                      row.is_training = false;
                      row.latency = Seconds{1.0};
                    }
                    r.hardware = {{"T4", 4, 4}};
                  }},
        BadRecipe{"node power: is nan", [](ScenarioRecipe& r) { r.nodes.base_w = std::nan(""); }},
        BadRecipe{"wake time: is -1", [](ScenarioRecipe& r) { r.nodes.wake_minutes = -1.0; }},
        BadRecipe{"has no GPUs", [](ScenarioRecipe& r) { r.hardware.clear(); }},
        BadRecipe{"0 nodes", [](ScenarioRecipe& r) { r.hardware[0].nodes = 0; }},
        BadRecipe{"'mars' is not built in", [](ScenarioRecipe& r) { r.zone = "mars"; }},
        BadRecipe{"pue: is 0.5", [](ScenarioRecipe& r) { r.pue = 0.5; }},
        BadRecipe{"load: is 1.5", [](ScenarioRecipe& r) { r.load = 1.5; }},
        BadRecipe{"slack: is nan", [](ScenarioRecipe& r) { r.slack = std::nan(""); }},
        BadRecipe{"slots is 0", [](ScenarioRecipe& r) { r.slots = 0; }},
        BadRecipe{"elasticity", [](ScenarioRecipe& r) { r.elasticity = 0.5; }}));

TEST(ParseHardware, ReadsGroupsAndRefusesTheRest) {
  const auto hardware = ParseHardware("A40:8x8,V100:4x4", "--gpus");
  ASSERT_TRUE(hardware.has_value());
  EXPECT_EQ(*hardware, (std::vector<Hardware>{{"A40", 8, 8}, {"V100", 4, 4}}));
  EXPECT_EQ(*ParseHardware("NVIDIA A100-SXM4-40GB:1x8", "--gpus"), (std::vector<Hardware>{{"A100", 1, 8}}));
  EXPECT_EQ(*ParseHardware("rtx 4090:1x2", "--gpus"), (std::vector<Hardware>{{"RTX4090", 1, 2}}));
  for (const char* bad : {"", "A40", "A40:8", "A40:8x", ":8x8", "A40:0x8", "A40:8x8,", "A40:8x8;V100:4x4", "x:axb",
                          "A40:8x8,,V100:4x4", "A40:8x-8", "A40:8.5x8", "A40:99999999999x8"}) {
    EXPECT_THAT(ParseHardware(bad, "--gpus").error().Line(), HasSubstr("--gpus: ")) << bad;
  }
}

TEST(ParseOnSite, KnowsItsOwnNames) {
  for (const OnSite one : {OnSite::kNone, OnSite::kSolar, OnSite::kWind, OnSite::kMixed}) {
    EXPECT_EQ(*ParseOnSite(NameOf(one)), one);
  }
  EXPECT_FALSE(ParseOnSite("moon").has_value());
}

TEST(Queue, NeverGivesMoreGpusThanThereAre) {
  ScenarioRecipe recipe = SmallDay();
  recipe.services = 0;
  const auto made = Make(recipe);
  scenario::Scenario scenario = *made;
  scenario.groups.resize(1);
  Queue queue(scenario);
  scenario::Job job = scenario.jobs.front();
  job.submit = scenario.start;
  job.resume = Duration{};
  const int all = scenario.groups[0].gpus();
  const double speed = DefaultSpeed(scenario, job.model, scenario.groups[0].gpu, 2);
  job.samples = speed * 3600.0;
  // All GPUs in pairs for one hour, then all for the next.
  for (int i = 0; i < all / 2; ++i) EXPECT_EQ(queue.Run(job, 2), scenario.start + 1h);
  for (int i = 0; i < all / 2; ++i) EXPECT_EQ(queue.Run(job, 2), scenario.start + 2h);
  job.samples = speed * 3600.0 * 47.0;
  EXPECT_EQ(queue.Run(job, 2), std::nullopt);
  job.samples = speed * 3600.0 * 46.0;
  EXPECT_EQ(queue.Run(job, 2), scenario.end());
}

}  // namespace
}  // namespace heliostat::workload
