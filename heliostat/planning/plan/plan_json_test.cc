#include "heliostat/planning/plan/plan_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/planning/plan/placement.h"
#include "heliostat/planning/plan/testing/any_plan.h"

namespace heliostat::plan {
namespace {

using io::Json;
using testing::At;
using ::testing::HasSubstr;

PlanAnswer Good(const scenario::Scenario& s, const Plan& plan) {
  const Score score = ScoreOf(s, plan);
  return {"min-carbon", "exact", 0.25, OutcomeWith({plan, score}, score.carbon_kg(), score.carbon_kg(), 0.0)};
}

// The document as a reader of the file would see it.
Json Written(const scenario::Scenario& s, const Plan& plan) {
  return *Json::Parse(ToJson(s, Good(s, plan)).Dump(), "plan.json");
}

const Json& In(const Json& json, std::string_view key) { return **json.Get(key); }
const Json& In(const Json& json, std::size_t index) { return (**json.Elements())[index]; }

std::vector<std::string> KeysOf(const Json& json) {
  std::vector<std::string> keys;
  for (const Json::Member& member : **json.Members()) keys.push_back(member.first);
  return keys;
}

class PlanJsonTest : public ::testing::Test {
 protected:
  PlanJsonTest() : scenario_(testing::SmallScenario()), plan_(EmptyPlan(scenario_)) {
    plan_.jobs[0].segments = {{{At(0), At(1)}, 0, 2}};
    plan_.jobs[1].segments = {{{At(2), At(2.5)}, 0, 2}};
    plan_.services[0].slots[0] = testing::Serve(scenario_, 0, 0, 0, 1, 2);
    testing::SetFewestNodes(scenario_, plan_);
  }

  scenario::Scenario scenario_;
  Plan plan_;
};

TEST_F(PlanJsonTest, TheScenarioItIsTestedWithIsValid) {
  const Status valid = scenario::Validate(scenario_);
  EXPECT_TRUE(valid.has_value()) << valid.error().Line();
}

TEST_F(PlanJsonTest, HoldsWhatTheContractNames) {
  const Json json = Written(scenario_, plan_);
  EXPECT_THAT(KeysOf(json), ::testing::IsSupersetOf({"scenario", "objective", "solver", "status", "carbon_kg", "cost",
                                                     "energy_kwh", "grid_kwh", "renewable_used_kwh", "performance",
                                                     "ppc", "bound", "gap", "solve_s", "slots", "jobs", "services"}));
  EXPECT_THAT(KeysOf(In(In(json, "slots"), 0)),
              ::testing::IsSupersetOf({"time", "it_kw", "facility_kwh", "grid_kwh", "renewable_used_kwh", "nodes_on"}));
  EXPECT_THAT(KeysOf(In(In(json, "jobs"), 0)),
              ::testing::IsSupersetOf({"id", "finish", "deadline_met", "segments", "nodes"}));
  EXPECT_THAT(KeysOf(In(In(In(In(json, "jobs"), 0), "segments"), 0)),
              ::testing::ElementsAre("start", "end", "group", "workers", "core_mhz", "power_limit_w"));
  EXPECT_THAT(KeysOf(In(In(In(In(json, "services"), 0), "slots"), 0)),
              ::testing::ElementsAre("time", "group", "replicas", "core_mhz", "power_limit_w", "batch", "utilisation",
                                     "latency_ms"));
  EXPECT_EQ(*In(json, "status").Text(), "optimal");
  EXPECT_EQ(*In(In(In(In(json, "slots"), 2), "nodes_on"), "a40").Integer(), 1);
}

TEST_F(PlanJsonTest, TellsWhenAJobIsDoneAndWhetherInTime) {
  const Json json = Written(scenario_, plan_);
  // 19 samples/s after 120 s of resuming.
  EXPECT_EQ(*In(In(In(json, "jobs"), 0), "finish").Text(), FormatInstant(At(0) + Duration{120 + 2632}));
  EXPECT_TRUE(*In(In(In(json, "jobs"), 0), "deadline_met").Boolean());
  EXPECT_EQ(In(In(json, "jobs"), 1).Find("finish"), nullptr);
  EXPECT_FALSE(*In(In(In(json, "jobs"), 1), "deadline_met").Boolean());
  EXPECT_EQ(In(In(json, "jobs"), 2).Find("deadline_met"), nullptr) << "best effort has no deadline to meet";
}

TEST_F(PlanJsonTest, WithoutAPlanSaysWhyAndNothingElse) {
  PlanAnswer none{.objective = "min-carbon", .solver = "exact", .solve_s = 0.25};
  none.outcome.status = Termination::kInfeasible;
  none.outcome.reason = "job tight cannot be done by its deadline";
  const Json json = *Json::Parse(ToJson(scenario_, none).Dump(), "plan.json");
  EXPECT_THAT(KeysOf(json), ::testing::ElementsAre("scenario", "objective", "solver", "status", "solve_s",
                                                   "time_decided", "rounds_decided", "reason"));
  EXPECT_EQ(*In(json, "status").Text(), "infeasible");
}

TEST_F(PlanJsonTest, NamesTheJobsThatMissTheirDeadlines) {
  PlanAnswer late = Good(scenario_, plan_);
  EXPECT_EQ(ToJson(scenario_, late).Find("missed"), nullptr);
  late.outcome.status = Termination::kBestEffort;
  late.outcome.missed = {{0, Duration{90}, "too long"}, {1, std::nullopt, "far too long"}};
  late.outcome.least_misses = 1;
  const Json json = ToJson(scenario_, late);
  EXPECT_EQ(*In(json, "status").Text(), "best_effort");
  EXPECT_EQ(*In(json, "least_misses").Integer(), 1);
  EXPECT_EQ(*In(In(In(json, "missed"), 0), "id").Text(), scenario_.jobs[0].id);
  EXPECT_EQ(*In(In(In(json, "missed"), 0), "late_s").Integer(), 90);
  EXPECT_EQ(*In(In(In(json, "missed"), 0), "reason").Text(), "too long");
  EXPECT_EQ(In(In(json, "missed"), 1).Find("late_s"), nullptr) << "null";
}

TEST_F(PlanJsonTest, WhatIsNotFiniteIsNull) {
  plan_.services[0].slots[0].latency = Seconds(std::numeric_limits<double>::infinity());
  PlanAnswer unbounded = Good(scenario_, plan_);
  unbounded.outcome.bound = -std::numeric_limits<double>::infinity();
  const Json json = ToJson(scenario_, unbounded);
  EXPECT_EQ(json.Find("bound"), nullptr);
  EXPECT_EQ(json.Find("gap"), nullptr);
  EXPECT_EQ(In(In(In(json, "services"), 0), "slots").Elements().value()->front().Find("latency_ms"), nullptr);
}

TEST_F(PlanJsonTest, RefusesWhatIsNotThisScenariosPlan) {
  const std::string good = Written(scenario_, plan_).Dump();
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto plan = FromJson(scenario_, *Json::Parse(text, "plan.json"));
    return plan ? std::string("accepted") : plan.error().Line();
  };
  EXPECT_EQ(error_with("\"id\": \"tight\"", "\"id\": \"other\""),
            "plan.json: jobs[0]: 'other' is not in the scenario or occurs twice; each id of the scenario once");
  EXPECT_EQ(error_with("\"id\": \"loose\"", "\"id\": \"tight\""),
            "plan.json: jobs[1]: 'tight' is not in the scenario or occurs twice; each id of the scenario once");
  EXPECT_EQ(error_with("\"workers\": 2", "\"workers\": 3"),
            "plan.json: jobs[0].segments[0]: no operating point has 3 workers at this setting; must be a row of the "
            "training profiles");
  EXPECT_EQ(error_with("\"a40\": 1", "\"a40\": 5"), "plan.json: slots[0].nodes_on.a40: 5 is out of range; 0 to 4");
  EXPECT_THAT(error_with("\"a40\": 1", "\"b\": 1"), HasSubstr("plan.json: slots[0].nodes_on"));
  EXPECT_EQ(error_with("\"time\": \"2023-06-05T01:00:00Z\"", "\"time\": \"2023-06-05T01:30:00Z\""),
            "plan.json: slots[1]: is for 2023-06-05T01:30:00Z; must be for 2023-06-05T01:00:00Z");
  EXPECT_EQ(error_with("\"end\": \"2023-06-05T01:00:00Z\"", "\"end\": \"2023-06-05T00:00:00Z\""),
            "plan.json: jobs[0].segments[0]: ends at 2023-06-05T00:00:00Z; must end after it starts");
  EXPECT_THAT(error_with("\"group\": \"a40\"", "\"group\": \"h100\""),
              HasSubstr("group 'h100' is not in the scenario"));
  EXPECT_THAT(error_with("\"batch\": 1", "\"batch\": 5"), HasSubstr("must be a row of the inference profiles"));
  EXPECT_EQ(error_with("\"services\": [", "\"other\": ["), "plan.json: has no 'services'; 'services' is needed");
  EXPECT_THAT(error_with("\"utilisation\": 0.2", "\"utilisation\": 1.5"), HasSubstr("1.5 is out of range; 0 to 1"));
  EXPECT_THAT(error_with("\"replicas\": 2", "\"replicas\": 17"), HasSubstr("17 is out of range; 0 to 16"));
  EXPECT_FALSE(FromJson(scenario_, Json()).has_value());
}

TEST_F(PlanJsonTest, RefusesAPlanThatLacksAJob) {
  scenario::Scenario more = scenario_;
  more.jobs.push_back(testing::JobOf("late", 0, 3, 1));
  EXPECT_EQ(FromJson(more, Written(scenario_, plan_)).error().Line(),
            "plan.json: 'late' is missing in jobs; each id of the scenario once");
}

RC_GTEST_PROP(PlanJsonLaw, RecomputingFromTheDocumentGivesItsTotals, (bool headroom)) {
  testing::AnyCase c = testing::DrawCase();
  c.plan.holds = Place(c.scenario, c.plan).holds;
  c.scenario.performance = headroom ? scenario::Performance::kHeadroom : scenario::Performance::kThroughput;
  const Json json = Written(c.scenario, c.plan);
  const Result<Plan> plan = FromJson(c.scenario, json);
  RC_ASSERT(plan.has_value());
  const Score score = ScoreOf(c.scenario, *plan);
  const auto agrees = [&](const char* key, double value) {
    return std::abs(*In(json, key).Number() - value) <= 1e-9 * (1.0 + std::abs(value));
  };
  RC_ASSERT(agrees("carbon_kg", score.carbon_kg()));
  RC_ASSERT(agrees("cost", score.total.cost));
  RC_ASSERT(agrees("energy_kwh", InKilowattHours(score.total.facility)));
  RC_ASSERT(agrees("grid_kwh", InKilowattHours(score.total.grid)));
  RC_ASSERT(agrees("renewable_used_kwh", InKilowattHours(score.total.renewable_used)));
  RC_ASSERT(agrees("performance", score.performance));
  for (std::size_t j = 0; j < c.plan.jobs.size(); ++j) RC_ASSERT(plan->jobs[j].segments == c.plan.jobs[j].segments);
  RC_ASSERT(plan->nodes_on == c.plan.nodes_on);
  RC_ASSERT(plan->holds.size() == c.plan.holds.size());
  for (const Hold& hold : c.plan.holds) {
    RC_ASSERT(std::count(plan->holds.begin(), plan->holds.end(), hold) ==
              std::count(c.plan.holds.begin(), c.plan.holds.end(), hold));
  }
}

}  // namespace
}  // namespace heliostat::plan
