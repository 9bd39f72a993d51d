#include "heliostat/ui/simulation_page/shown_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using testing::Compared;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScheduleTest, JobsAreInTheOrderOfTheirSubmission) {
  const Compared small = testing::Small();
  EXPECT_THAT(ShownSchedule(small.scenario, small.comparison, {}).jobs(), ElementsAre(0, 2, 1));
}

TEST(ScheduleTest, TheThirstiestJobsAreKept) {
  Compared small = testing::Small();
  for (sim::SimulatedRun& run : small.comparison.runs) run.jobs[1].energy = Joules{};
  EXPECT_THAT(ShownSchedule(small.scenario, small.comparison, {.jobs = 2}).jobs(), ElementsAre(0, 2));
}

TEST(ScheduleTest, NoMoreBarsThanAskedFor) {
  const Compared small = testing::Small();
  std::size_t pieces = 0;
  for (const sim::SimulatedRun& run : small.comparison.runs) {
    for (const sim::JobRun& job : run.jobs) pieces += job.plan.segments.size();
  }
  EXPECT_EQ(ShownSchedule(small.scenario, small.comparison, {.pieces = pieces}).jobs().size(), 3U);
  EXPECT_LT(ShownSchedule(small.scenario, small.comparison, {.pieces = pieces - 1}).jobs().size(), 3U);
}

TEST(ScheduleTest, PiecesThatGoOnUnchangedAreOne) {
  Compared small(plan::testing::SmallScenario(), {"run-now"});
  const Instant start = small.scenario.start;
  auto& segments = small.comparison.runs[0].jobs[0].plan.segments;
  segments = {{{start, start + Duration{600}}, 0, 1},
              {{start + Duration{600}, start + Duration{1200}}, 0, 1},
              {{start + Duration{1200}, start + Duration{1500}}, 0, 2}};
  for (std::size_t other : {1, 2}) small.comparison.runs[0].jobs[other].plan.segments.clear();
  const std::string data = ShownSchedule(small.scenario, small.comparison, {}).Data();
  EXPECT_THAT(data, HasSubstr("\"pieces\":[0,0,1200,0,0,1200,300,1]"));
  EXPECT_THAT(data, HasSubstr(R"("settings":[["1 x 300 W in a40",1],["2 x 300 W in a40",2]])"));
}

TEST(ScheduleTest, NodesThatSleepAreToldBySpanAndState) {
  Compared small(plan::testing::SmallScenario(), {"run-now"});
  const Instant start = small.scenario.start;
  small.comparison.runs[0].node_spans = {{0, 1, sim::NodeState::kAsleep, {start + Duration{60}, start + Duration{660}}},
                                         {1, 0, sim::NodeState::kWaking, {start, start + Duration{300}}},
                                         {1, 1, sim::NodeState::kFailed, {start, start + Duration{10}}}};
  const std::string all = ShownSchedule(small.scenario, small.comparison, {}).Data();
  EXPECT_THAT(all, HasSubstr("\"down\":[1,60,600,2,4,0,300,1,5,0,10,3]"));
  EXPECT_THAT(all, HasSubstr(R"("nodes":["a40 1","a40 2","a40 3","a40 4","v100 1","v100 2"])"));
  const ShownSchedule few(small.scenario, small.comparison, {.nodes = 2});
  EXPECT_EQ(few.nodes_shown(), 2U);
  EXPECT_THAT(few.Data(), HasSubstr("\"down\":[1,60,600,2]"));
}

TEST(ScheduleTest, AJobThatIsNeverDoneAndHasNoDeadlineSaysSo) {
  Compared small(plan::testing::SmallScenario(), {"run-now"});
  small.comparison.runs[0].jobs[2].finish.reset();
  const std::string data = ShownSchedule(small.scenario, small.comparison, {}).Data();
  EXPECT_THAT(data, HasSubstr(R"(["whenever","net",0,-1])"));
  EXPECT_THAT(data, HasSubstr(R"(["tight","net",0,10800])"));
  EXPECT_THAT(data, ::testing::ContainsRegex(R"re("done":\[[0-9]+,-1,[0-9]+\])re"));
}

TEST(ScheduleTest, APictureForWhoHasNoScripts) {
  Compared small = testing::Small();
  small.scenario.jobs[0].id = "<tight>";
  const ShownSchedule schedule(small.scenario, small.comparison, {});
  const std::string picture = schedule.Picture(0, 2);
  EXPECT_EQ(report::XmlCheck::Problem(picture), "");
  EXPECT_THAT(picture, HasSubstr("&lt;tight&gt;"));
  EXPECT_THAT(picture, Not(HasSubstr("loose")));
  const Compared idle(plan::testing::IdleCluster(), {"run-now"});
  EXPECT_EQ(ShownSchedule(idle.scenario, idle.comparison, {}).Picture(0, 2), "");
}

}  // namespace
}  // namespace heliostat::simulation_page
