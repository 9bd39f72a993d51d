// The numbers that the page's script reads: they parse, and are those of the comparison.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/base/io/json.h"
#include "heliostat/ui/simulation_page/figures.h"
#include "heliostat/ui/simulation_page/json_text.h"
#include "heliostat/ui/simulation_page/shown_schedule.h"
#include "heliostat/ui/simulation_page/simulation_page.h"
#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using io::Json;
using testing::Compared;
using ::testing::SizeIs;

const Json& At(const Json& json, std::string_view key) {
  const auto member = json.Get(key);
  EXPECT_TRUE(member) << key;
  return **member;
}
const Json::Array& List(const Json& json, std::string_view key) { return **At(json, key).Elements(); }

Json DataIn(const std::string& page) {
  const std::string_view begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  auto data = Json::Parse(page.substr(from, page.find("</script>", from) - from), "page");
  EXPECT_TRUE(data) << (data ? "" : data.error().Line());
  return std::move(*data);
}

RC_GTEST_PROP(JsonTextLaws, AnyTextIsReadAgainAsItWas, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 0x7f));
  const auto json = Json::Parse(JsonText(text), "text");
  RC_ASSERT(json.has_value());
  RC_ASSERT(*json->Text() == text);
  RC_ASSERT(JsonText(text).find_first_of("<>&") == std::string::npos);
}

RC_GTEST_PROP(JsonTextLaws, NumbersKeepFourDigits, ()) {
  const double value = *rc::gen::inRange(-1000000, 1000000) * std::pow(10.0, *rc::gen::inRange(-9, 9));
  const auto json = Json::Parse(JsonNumber(value), "number");
  RC_ASSERT(json.has_value());
  RC_ASSERT(std::abs(*json->Number() - value) <= 5.001e-4 * std::abs(value));
}

TEST(JsonTextTest, OtherLettersStayAsTheyAre) {
  EXPECT_EQ(JsonText("Grün 日本"), "\"Grün 日本\"");
  EXPECT_EQ(JsonText(""), "\"\"");
  EXPECT_EQ(JsonNumbers(std::vector<double>{}), "[]");
}

TEST(PageDataTest, NamesThePoliciesTheBestAndAFigureForEach) {
  const Compared small = testing::Small();
  const Json data = DataIn(*Render(SimulationPage{small.scenario, small.comparison, ""}));
  const auto& policies = List(data, "policies");
  ASSERT_THAT(policies, SizeIs(small.comparison.runs.size()));
  for (std::size_t i = 0; i < policies.size(); ++i) {
    EXPECT_EQ(*policies[i].Text(), small.comparison.runs[i].policy);
    EXPECT_TRUE(At(data, "figures").Find(fmt::format("power-{}", i)) != nullptr);
    EXPECT_TRUE(At(data, "figures").Find(fmt::format("latency-{}", i)) != nullptr);
  }
  EXPECT_LT(*At(data, "best").Integer(), static_cast<std::int64_t>(policies.size()));
  EXPECT_THAT(List(At(data, "schedule"), "runs"), SizeIs(policies.size()));
}

// The layers of facility power in the page, put together, are the energy of the table to the digits that are written.
TEST(PageDataTest, PowerAddsUpToTheTablesEnergy) {
  const Compared small = testing::Small();
  const Json data = DataIn(*Render(SimulationPage{small.scenario, small.comparison, ""}));
  for (std::size_t run = 0; run < small.comparison.runs.size(); ++run) {
    const Json& figure = At(At(data, "figures"), fmt::format("power-{}", run));
    EXPECT_EQ(*At(figure, "start").Integer(), small.scenario.start.time_since_epoch().count());
    EXPECT_EQ(*At(figure, "end").Integer(), small.scenario.end().time_since_epoch().count());
    EXPECT_EQ(*At(figure, "step").Integer(), small.scenario.step.count());
    const Json& panel = List(figure, "panels")[1];
    const auto stacked = static_cast<std::size_t>(*At(panel, "stacked").Integer());
    double kwh = 0.0;
    for (std::size_t layer = 0; layer < stacked; ++layer) {
      const auto& values = List(List(panel, "series")[layer], "values");
      ASSERT_THAT(values, SizeIs(small.scenario.slots));
      for (const Json& value : values) kwh += *value.Number() * Seconds(small.scenario.step).count() / 3600.0;
    }
    EXPECT_NEAR(kwh / small.comparison.figures[run].energy_kwh, 1.0, 1e-3);
  }
}

TEST(PageDataTest, TheGridsCarbonIsTheScenarios) {
  const Compared small = testing::Small();
  const Json data = DataIn(*Render(SimulationPage{small.scenario, small.comparison, ""}));
  const Json& panel = List(At(At(data, "figures"), "work"), "panels")[0];
  const auto& values = List(List(panel, "series")[0], "values");
  ASSERT_THAT(values, SizeIs(small.scenario.slots));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(*values[i].Number(), InGramsPerKwh(small.scenario.carbon[i]), 0.1);
  }
}

// Bars of a job are its segments: as long together, within the horizon, of settings that are listed.
TEST(PageDataTest, BarsAreWhatRan) {
  const Compared small = testing::Small();
  const ShownSchedule schedule(small.scenario, small.comparison, {});
  const auto data = Json::Parse(schedule.Data(), "schedule");
  ASSERT_TRUE(data);
  const auto& jobs = List(*data, "jobs");
  ASSERT_THAT(jobs, SizeIs(schedule.jobs().size()));
  const auto settings = static_cast<std::int64_t>(List(*data, "settings").size());
  const std::int64_t length = small.scenario.horizon().length().count();
  for (std::size_t run = 0; run < small.comparison.runs.size(); ++run) {
    const auto& pieces = List(List(*data, "runs")[run], "pieces");
    ASSERT_EQ(pieces.size() % 4, 0U);
    std::vector<std::int64_t> ran(jobs.size(), 0);
    for (std::size_t i = 0; i < pieces.size(); i += 4) {
      ran.at(static_cast<std::size_t>(*pieces[i].Integer())) += *pieces[i + 2].Integer();
      EXPECT_GE(*pieces[i + 1].Integer(), 0);
      EXPECT_LE(*pieces[i + 1].Integer() + *pieces[i + 2].Integer(), length);
      EXPECT_GT(*pieces[i + 2].Integer(), 0);
      EXPECT_LT(*pieces[i + 3].Integer(), settings);
    }
    for (std::size_t row = 0; row < jobs.size(); ++row) {
      Duration planned{0};
      for (const plan::Segment& segment : small.comparison.runs[run].jobs[schedule.jobs()[row]].plan.segments) {
        planned += segment.span.length();
      }
      EXPECT_EQ(ran[row], planned.count());
    }
  }
}

TEST(PageDataTest, HostileNamesComeBackAsTheyWere) {
  auto scenario = plan::testing::SmallScenario();
  scenario.jobs[0].id = "</script>\"\\<!--&amp;'";
  scenario.groups[0].name = "g<\">";
  const Compared compared(scenario, {"run-now"});
  const Json data = DataIn(*Render(SimulationPage{compared.scenario, compared.comparison, ""}));
  const Json& schedule = At(data, "schedule");
  std::vector<std::string> ids;
  for (const Json& job : List(schedule, "jobs")) ids.push_back(*(**job.Elements())[0].Text());
  EXPECT_THAT(ids, ::testing::Contains(scenario.jobs[0].id));
  EXPECT_EQ(*List(schedule, "nodes")[0].Text(), "g<\"> 1");
}

TEST(PageDataTest, AnIdleClusterHasDataToo) {
  const Compared idle(plan::testing::IdleCluster(), {"run-now"});
  const Json data = DataIn(*Render(SimulationPage{idle.scenario, idle.comparison, ""}));
  EXPECT_THAT(List(At(data, "schedule"), "jobs"), SizeIs(0));
  EXPECT_TRUE(At(data, "figures").Find("latency-0") == nullptr);
}

TEST(PageDataTest, LongHorizonsAreCutToWhatAPageHoldsAndThePageSaysSo) {
  scenario::Scenario year = plan::testing::IdleCluster();
  year.slots = 1500;
  year.carbon.assign(year.slots, GramsPerKwh(100));
  year.renewable.assign(year.slots, Watts{});
  year.price_per_kwh.clear();
  const Compared compared(year, {"run-now"});
  const std::string page = *Render(SimulationPage{compared.scenario, compared.comparison, ""});
  EXPECT_NE(page.find("Each step of the charts is the mean of 3 slots."), std::string::npos);
  const Json data = DataIn(page);
  const Json& figure = At(At(data, "figures"), "power-0");
  EXPECT_EQ(*At(figure, "step").Integer(), 3 * 3600);
  EXPECT_THAT(List(List(List(figure, "panels")[0], "series")[0], "values"), SizeIs(500));
}

RC_GTEST_PROP(ViewLaws, StepsAreFewAndCoverTheHorizon, ()) {
  scenario::Scenario scenario = plan::testing::IdleCluster();
  scenario.slots = *rc::gen::inRange<std::size_t>(1, 40000);
  sim::Comparison comparison;
  comparison.runs.resize(*rc::gen::inRange<std::size_t>(1, 12));
  const PageView view = ViewOf(scenario, comparison);
  RC_ASSERT(view.grid().size() <= (comparison.runs.size() <= 6 ? 680U : 340U));
  RC_ASSERT(view.grid().size() * view.bucket >= scenario.slots);
  RC_ASSERT((view.grid().size() - 1) * view.bucket < scenario.slots);
  // Not thinned more than is needed.
  if (view.bucket > 1) RC_ASSERT((scenario.slots + view.bucket - 2) / (view.bucket - 1) > 340U);
}

RC_GTEST_PROP(ScheduleLaws, NoMoreJobsBarsOrNodesThanTheLimits, ()) {
  static const Compared kSmall = testing::Small();
  const ScheduleLimits limits{.jobs = *rc::gen::inRange<std::size_t>(0, 5),
                              .pieces = *rc::gen::inRange<std::size_t>(0, 40),
                              .nodes = *rc::gen::inRange<std::size_t>(0, 9)};
  const ShownSchedule schedule(kSmall.scenario, kSmall.comparison, limits);
  RC_ASSERT(schedule.jobs().size() <= limits.jobs);
  RC_ASSERT(schedule.nodes_shown() == std::min<std::size_t>(limits.nodes, 6));
  const auto data = Json::Parse(schedule.Data(), "schedule");
  RC_ASSERT(data.has_value());
  std::size_t bars = 0;
  for (const Json& run : List(*data, "runs")) bars += List(run, "pieces").size() / 4;
  RC_ASSERT(bars <= limits.pieces);
}

}  // namespace
}  // namespace heliostat::simulation_page
