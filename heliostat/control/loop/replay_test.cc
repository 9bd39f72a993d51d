#include "heliostat/control/loop/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heliostat/base/io/file.h"
#include "heliostat/control/loop/decision_log.h"
#include "heliostat/control/loop/record_json.h"
#include "heliostat/control/loop/testing/desk_world.h"
#include "heliostat/control/loop/testing/stubborn_world.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::loop {
namespace {

using ::testing::HasSubstr;

scenario::Scenario Made(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 5;
  shape.slots = 20;
  shape.services = 0;
  shape.load = 0.2;
  return scenario::Generate(shape);
}

class Recorded : public ::testing::Test {
 protected:
  // Records one policy in a stubborn world, with one restart.
  void Record(const std::string& name) {
    policy::TimedPlanning planning;
    Record(name, planning);
  }
  void Record(const std::string& name, policy::Planning& inner) {
    const scenario::Scenario scenario = Made(1);
    testing::DeskWorld desk(scenario);
    testing::StubbornWorld stubborn(desk, std::chrono::minutes{9});
    RecordingOutlook outlook(desk);
    RecordingPlanning planning(inner);
    auto log = DecisionLog::Create(path_, name, {}, outlook, planning);
    ASSERT_TRUE(log) << log.error().Line();
    auto policy = *policy::Make(name, {});
    Driver driver(stubborn, outlook, *policy, log->get(), &planning);
    bool restarted = false;
    do {
      if (!restarted && desk.now() > scenario.start + std::chrono::hours{7}) {
        auto next = *policy::Make(name, {});
        driver.Replace(*next);
        policy = std::move(next);
        restarted = true;
      }
      driver.Step();
    } while (driver.Wait());
    ASSERT_TRUE((*log)->Close());
  }

  void ExpectTheSame() const;
  void TearDown() override { std::filesystem::remove(path_); }
  std::string Text() const { return *io::ReadFile(path_); }
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("heliostat_replay_test_" + std::to_string(::getpid()) + ".jsonl"))
          .string();
};

class EveryPolicyRecorded : public Recorded, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryPolicyRecorded, DecidesTheSameAgain) {
  Record(GetParam());
  ExpectTheSame();
}

void Recorded::ExpectTheSame() const {
  const auto replayed = Replay(path_);
  ASSERT_TRUE(replayed) << replayed.error().Line();
  EXPECT_GT(replayed->steps, 20U);
  EXPECT_FALSE(replayed->difference) << replayed->difference->step << "\n"
                                     << replayed->difference->recorded << "\n"
                                     << replayed->difference->replayed;
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const policy::Info& info : policy::Policies()) names.emplace_back(info.name);
  names.emplace_back("edf+sleep");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyRecorded, ::testing::ValuesIn(AllNames()), [](const auto& param) {
  std::string name = param.param;
  for (char& c : name) c = c == '-' || c == '+' ? '_' : c;
  return name;
});

TEST_F(Recorded, PlansThatTakeTheirTimeArriveWhenTheyDid) {
  for (const char* name : {"ca-rm-performance", "ca-rm-ppc", "ce-dla-drs"}) {
    policy::TimedPlanning timed(std::chrono::minutes{7}, 20);
    Record(name, timed);
    ExpectTheSame();
  }
}

TEST_F(Recorded, AnotherPolicyIsFoundOut) {
  Record("edf");
  const auto replayed = Replay(path_, [](std::string_view, const policy::PolicyOptions& options) {
    return policy::Make("wait-awhile", options);
  });
  ASSERT_TRUE(replayed) << replayed.error().Line();
  ASSERT_TRUE(replayed->difference);
  EXPECT_NE(replayed->difference->recorded, replayed->difference->replayed);
}

TEST_F(Recorded, ALineThatWasCutOffIsLeftOut) {
  Record("run-now");
  const auto whole = Replay(path_);
  std::string text = Text();
  Write(text.substr(0, text.size() - 40));
  const auto cut = Replay(path_);
  ASSERT_TRUE(cut) << cut.error().Line();
  EXPECT_EQ(cut->steps + 1, whole->steps);
}

TEST_F(Recorded, WhatIsNoLogIsRefused) {
  for (const char* text : {"", "hello\n", "{}\n", "{\"decision_log\": 2}\n", "[1]\n", "{\"decision_log\": 1}\n"}) {
    Write(text);
    const auto replayed = Replay(path_);
    ASSERT_FALSE(replayed) << text;
    EXPECT_THAT(replayed.error().Line(), HasSubstr(path_)) << text;
  }
  EXPECT_FALSE(Replay("/nowhere/at/all.jsonl"));
}

TEST_F(Recorded, ADamagedStepIsRefusedWithItsLine) {
  Record("run-now");
  std::string text = Text();
  const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
  text.replace(third, 10, "          ");
  Write(text);
  const auto replayed = Replay(path_);
  ASSERT_FALSE(replayed);
  EXPECT_THAT(replayed.error().Line(), HasSubstr(":3"));
}

TEST(RecordJson, ReadsASiteBackToTheBit) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const scenario::Scenario scenario = Made(seed);
    const auto json = io::Json::Parse(ToJson(scenario.site()).Line(), "site");
    ASSERT_TRUE(json);
    const auto site = SiteFromJson(*json);
    ASSERT_TRUE(site) << site.error().Line();
    EXPECT_EQ(*site, scenario.site());
  }
}

}  // namespace
}  // namespace heliostat::loop
