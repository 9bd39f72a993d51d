#include "heliostat/model/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heliostat/model/scenario/testing/small_files.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Scenario Small() { return *testing::ReadFiles(testing::SmallFiles()); }

TEST(ScenarioTest, AJobMayUseThePointsOfItsRangeThatTheGroupCanHold) {
  Scenario scenario = Small();
  Job job = scenario.jobs[0];
  EXPECT_THAT(scenario.PointsFor(job, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(scenario.PointsFor(job, 1), ElementsAre(0));
  job.min_workers = 2;
  EXPECT_THAT(scenario.PointsFor(job, 0), ElementsAre(3));
  EXPECT_THAT(scenario.PointsFor(job, 1), IsEmpty());
  scenario.groups[0].nodes = 1;
  scenario.groups[0].gpus_per_node = 1;
  EXPECT_THAT(scenario.PointsFor(job, 0), IsEmpty());
}

TEST(ScenarioTest, AWindowIsThePartOfTheHorizonBetweenSubmitAndDeadline) {
  const Scenario scenario = Small();
  const auto window = [&](Duration submit, std::optional<Duration> deadline) {
    Job job = scenario.jobs[0];
    job.submit = scenario.start + submit;
    job.deadline = deadline ? std::optional(scenario.start + *deadline) : std::nullopt;
    return scenario.WindowOf(job);
  };
  const auto at = [&](Duration d) { return scenario.start + d; };
  EXPECT_EQ(window(10min, 3h), (Interval{at(10min), at(3h)}));
  EXPECT_EQ(window(-1h, 3h), (Interval{at(0h), at(3h)}));
  EXPECT_EQ(window(10min, 9h), (Interval{at(10min), at(4h)}));
  EXPECT_EQ(window(10min, std::nullopt), (Interval{at(10min), at(4h)}));
  EXPECT_TRUE(window(5h, 6h).empty());
  EXPECT_TRUE(window(-3h, -2h).empty());
}

TEST(ScenarioTest, TheReferenceIsTheBestOneWorkerSpeedOnAGpuThatIsThere) {
  Scenario scenario = Small();
  EXPECT_EQ(scenario.ReferenceSamplesPerS("net"), 90.0);
  EXPECT_EQ(scenario.ReferenceRequestsPerS("clip"), 130.336);
  scenario.training.Add("net", "H100", {.knob = {}, .workers = 1, .samples_per_s = 900.0, .power = Watts{600}});
  EXPECT_EQ(scenario.ReferenceSamplesPerS("net"), 90.0);
  scenario.training.Add("wide", "A40", {.knob = {}, .workers = 4, .samples_per_s = 300.0, .power = Watts{600}});
  scenario.training.Add("wide", "A40", {.knob = {}, .workers = 8, .samples_per_s = 400.0, .power = Watts{900}});
  EXPECT_EQ(scenario.ReferenceSamplesPerS("wide"), 75.0);
}

struct Fault {
  const char* name;
  std::function<void(Scenario&)> make;
  const char* line;
};

TEST(ScenarioTest, WhatNoPlanCouldMakeSenseOfIsRefusedByName) {
  const Fault faults[] = {
      {"no slots", [](Scenario& s) { s.slots = 0; }, "scenario: slots is 0"},
      {"no step", [](Scenario& s) { s.step = 0s; }, "scenario: a slot is 0 s long"},
      {"no group", [](Scenario& s) { s.groups.clear(); }, "scenario: there is no group"},
      {"too few values", [](Scenario& s) { s.carbon.pop_back(); }, "signals: carbon has 3 values"},
      {"no renewable", [](Scenario& s) { s.renewable.clear(); }, "signals: renewable has 0 values"},
      {"too many prices", [](Scenario& s) { s.price_per_kwh.push_back(1.0); }, "signals: price has 5 values"},
      {"infinite price", [](Scenario& s) { s.price_per_kwh[1] = INFINITY; }, "slot at 2023-06-05T01:00:00Z: "},
      {"negative carbon", [](Scenario& s) { s.carbon[2] = GramsPerKwh(-1); }, "slot at 2023-06-05T02:00:00Z: "},
      {"pue of NaN", [](Scenario& s) { s.pue = NAN; }, "scenario: pue is nan"},
      {"overflow", [](Scenario& s) { s.groups[0].nodes = s.groups[0].gpus_per_node = 100000; },
       "group 'a40': 100000 nodes"},
      {"two groups", [](Scenario& s) { s.groups[1].name = "a40"; }, "group 'a40': occurs twice"},
      {"two jobs", [](Scenario& s) { s.jobs[1].id = "j1"; }, "job 'j1': occurs twice"},
      {"two services", [](Scenario& s) { s.services.push_back(s.services[0]); }, "service 's1': occurs twice"},
      {"NaN samples", [](Scenario& s) { s.jobs[0].samples = NAN; }, "job 'j1': samples is nan"},
      {"no point", [](Scenario& s) { s.training = {}; }, "job 'j1': model 'net' is not in the training profiles"},
      {"far deadline", [](Scenario& s) { s.jobs[0].deadline = Instant::max(); },
       "job 'j1': submit or deadline is out of range"},
      {"rates", [](Scenario& s) { s.services[0].requests_per_s.pop_back(); }, "service 's1': the rate has 3 values"},
      {"NaN rate", [](Scenario& s) { s.services[0].requests_per_s[3] = NAN; },
       "service 's1': the rate at 2023-06-05T03"},
      {"NaN power",
       [](Scenario& s) {
         s.training.Add("x", "A40", {.knob = {}, .workers = 1, .samples_per_s = 1.0, .power = Watts{NAN}});
       },
       "training profile of 'x' on 'A40': power_w is nan"},
      {"model elsewhere",
       [](Scenario& s) {
         s.training.Add("x", "H100", {.knob = {}, .workers = 1, .samples_per_s = 1.0, .power = Watts{1}});
         s.jobs[0].model = "x";
       },
       "job 'j1': model 'x' has no training profile on any group's GPU; profile it on one of A40, V100"},
  };
  ASSERT_TRUE(Validate(Small()).has_value());
  for (const Fault& fault : faults) {
    Scenario scenario = Small();
    fault.make(scenario);
    const auto checked = Validate(scenario);
    ASSERT_FALSE(checked.has_value()) << fault.name;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument) << fault.name;
    EXPECT_THAT(checked.error().Line(), ::testing::StartsWith(fault.line)) << fault.name;
  }
}

}  // namespace
}  // namespace heliostat::scenario
