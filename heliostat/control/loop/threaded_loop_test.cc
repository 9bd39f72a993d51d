// A policy whose plans are made on a thread while the loop continues.
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/control/loop/decision_log.h"
#include "heliostat/control/loop/replay.h"
#include "heliostat/control/loop/testing/desk_world.h"
#include "heliostat/control/loop/testing/paced_world.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::loop {
namespace {

// Also when the policy is replaced while a plan is in the making.
TEST(ThreadedLoop, IsReplayedWithoutThreadsToTheSameDecisions) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("heliostat_threaded_loop_" + std::to_string(::getpid()) + ".jsonl"))
          .string();
  scenario::Shape shape;
  shape.seed = 1;
  shape.jobs = 8;
  shape.slots = 30;
  shape.services = 0;
  shape.load = 0.2;
  const scenario::Scenario scenario = scenario::Generate(shape);
  testing::DeskWorld desk(scenario);
  testing::PacedWorld paced(desk);
  RecordingOutlook outlook(desk);
  ThreadedPlanning threaded(std::chrono::seconds{3});
  RecordingPlanning planning(threaded);
  auto log = DecisionLog::Create(path, "ca-rm-performance", {}, outlook, planning);
  ASSERT_TRUE(log) << log.error().Line();
  auto policy = *policy::Make("ca-rm-performance", {});
  Driver driver(paced, outlook, *policy, log->get(), &planning);
  bool was_replaced = false;
  do {
    if (!was_replaced && planning.IsBusy() && desk.now() > scenario.start + std::chrono::hours{3}) {
      auto next = *policy::Make("ca-rm-performance", {});
      driver.Replace(*next);
      policy = std::move(next);
      was_replaced = true;
    }
    driver.Step();
  } while (driver.Wait());
  ASSERT_TRUE((*log)->Close());
  EXPECT_TRUE(was_replaced);
  EXPECT_EQ(driver.violations(), 0U);
  EXPECT_EQ(desk.finished().size(), scenario.jobs.size());
  const auto replayed = Replay(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(replayed) << replayed.error().Line();
  EXPECT_FALSE(replayed->difference) << replayed->difference->recorded << "\n" << replayed->difference->replayed;
}

}  // namespace
}  // namespace heliostat::loop
