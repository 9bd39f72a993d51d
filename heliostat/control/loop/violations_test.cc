#include "heliostat/control/loop/violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/control/loop/testing/desk_world.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::loop {
namespace {

using testing::DeskWorld;
using ::testing::HasSubstr;

// One observation of a desk with jobs, and what would be wrong with a decision on it.
class ViolationsTest : public ::testing::Test {
 protected:
  ViolationsTest() : scenario_(Made()), desk_(scenario_) {
    do {
      view_.emplace(desk_.Look());
      for (const auto& [id, job] : view_->jobs) {
        if (!job_) job_ = id;
      }
    } while (!job_ && desk_.Wait(policy::kNoHorizon));
  }

  static scenario::Scenario Made() {
    scenario::Shape shape;
    shape.jobs = 4;
    shape.slots = 24;
    shape.services = 0;
    return scenario::Generate(shape);
  }

  std::string FirstWrong(const policy::Decision& decision, const policy::Capabilities& can = {}) {
    const policy::Observation observation{desk_.now(),   0,       true, desk_.site(), can, scenario_.end(),
                                          view_->jobs,   {},      {},   {},           {},  {},
                                          view_->groups, Grams{}, desk_};
    const auto found = Violations(observation, decision);
    return found.empty() ? "" : found.front().why;
  }

  const policy::JobState& job() const { return view_->jobs[*job_]; }
  policy::RunSetting AnySetting() const { return {0, desk_.site()->PointsFor(job().asked, 0).front()}; }
  policy::Decision Ordering(std::optional<policy::RunSetting> setting) const {
    policy::Decision decision;
    decision.jobs.push_back({*job_, setting});
    return decision;
  }
  void Start() {
    std::vector<policy::Receipt> receipts;
    desk_.Apply(Ordering(AnySetting()), receipts);
    ASSERT_EQ(receipts.front().status, policy::Receipt::Status::kAccepted);
  }

  scenario::Scenario scenario_;
  DeskWorld desk_;
  std::optional<WorldView> view_;
  std::optional<policy::JobId> job_;
};

TEST_F(ViolationsTest, AStartThatMakesSenseIsNone) { EXPECT_EQ(FirstWrong(Ordering(AnySetting())), ""); }

TEST_F(ViolationsTest, NamesJobsThatDoNotExist) {
  policy::Decision decision = Ordering(AnySetting());
  decision.jobs[0].job = 999999;
  EXPECT_THAT(FirstWrong(decision), HasSubstr("is not known"));
}

TEST_F(ViolationsTest, NamesPointsThatDoNotExist) {
  EXPECT_THAT(FirstWrong(Ordering(policy::RunSetting{0, 100000})), HasSubstr("operating point"));
  EXPECT_THAT(FirstWrong(Ordering(policy::RunSetting{99, 0})), HasSubstr("operating point"));
}

TEST_F(ViolationsTest, NamesStopsOfJobsThatDoNotRun) {
  EXPECT_THAT(FirstWrong(Ordering(std::nullopt)), HasSubstr("does not run"));
}

TEST_F(ViolationsTest, NamesStopsWhereNothingCanBeStopped) {
  Start();
  policy::Capabilities can;
  can.suspend = can.requeue = false;
  EXPECT_EQ(FirstWrong(Ordering(std::nullopt)), job().asked.preemptible ? "" : FirstWrong(Ordering(std::nullopt)));
  EXPECT_NE(FirstWrong(Ordering(std::nullopt), can), "");
}

TEST_F(ViolationsTest, NamesTwoSettingsForOneJob) {
  policy::Decision decision = Ordering(AnySetting());
  decision.jobs.push_back(decision.jobs.front());
  EXPECT_THAT(FirstWrong(decision), HasSubstr("twice"));
}

TEST_F(ViolationsTest, NamesNodesThatCannotSleepAndGroupsThatDoNotExist) {
  policy::Decision decision;
  decision.nodes_on.assign(view_->groups.size(), 1);
  EXPECT_EQ(FirstWrong(decision), "");
  policy::Capabilities can;
  can.sleep_nodes = false;
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("sleep"));
  decision.nodes_on.push_back(1);
  EXPECT_THAT(FirstWrong(decision), HasSubstr("groups"));
}

TEST_F(ViolationsTest, NamesNodesOnlyWhereTheWorldPlaces) {
  policy::Capabilities can;
  can.place = true;
  policy::Decision decision = Ordering(AnySetting());
  const auto& points = scenario_.training.Of(job().asked.model, scenario_.groups[0].gpu);
  decision.jobs[0].nodes = {{0, points[AnySetting().point].workers}};
  EXPECT_EQ(FirstWrong(decision, can), "");
  EXPECT_THAT(FirstWrong(decision), HasSubstr("chooses them itself"));
  decision.jobs[0].nodes[0].gpus += 1;
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("GPUs on named nodes"));
  decision.jobs[0].nodes = {{0, 1}, {0, 1}};
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("one node twice"));
  decision.jobs[0].nodes = {{scenario_.groups[0].nodes, 1}};
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("do not exist"));
}

TEST_F(ViolationsTest, NamesNodesThatAreNotAsManyAsShouldBeUp) {
  policy::Capabilities can;
  can.place = true;
  policy::Decision decision;
  decision.nodes_on.assign(view_->groups.size(), 1);
  decision.nodes_up.assign(view_->groups.size(), {0});
  EXPECT_EQ(FirstWrong(decision, can), "");
  EXPECT_THAT(FirstWrong(decision), HasSubstr("chooses nodes itself"));
  decision.nodes_up[0] = {0, 1};
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("as many"));
  decision.nodes_up[0] = {-1};
  EXPECT_THAT(FirstWrong(decision, can), HasSubstr("does not exist"));
}

TEST_F(ViolationsTest, NamesCallsInThePast) {
  policy::Decision decision;
  decision.call_again = desk_.now();
  EXPECT_THAT(FirstWrong(decision), HasSubstr("past"));
}

}  // namespace
}  // namespace heliostat::loop
