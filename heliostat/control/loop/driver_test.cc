#include "heliostat/control/loop/driver.h"

#include <gtest/gtest.h>

#include <functional>

#include "heliostat/control/loop/testing/desk_world.h"
#include "heliostat/control/loop/testing/stubborn_world.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::loop {
namespace {

using policy::Receipt;
using testing::DeskWorld;
using testing::StubbornWorld;

scenario::Scenario Made() {
  scenario::Shape shape;
  shape.jobs = 5;
  shape.slots = 24;
  shape.services = 0;
  shape.load = 0.1;
  return scenario::Generate(shape);
}

// Decides as the test says.
class Scripted : public policy::Policy {
 public:
  using Script = std::function<void(const policy::Observation&, policy::Decision&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void Decide(const policy::Observation& observation, policy::Decision& decision) override {
    ++calls;
    script_(observation, decision);
  }
  int calls = 0;

 private:
  Script script_;
};

TEST(Driver, CallsOncePerSlotAndWhenAsked) {
  scenario::Scenario scenario = Made();
  scenario.jobs.clear();
  DeskWorld desk(scenario);
  int begins = 0;
  Scripted policy([&](const auto& observation, auto& decision) {
    begins += observation.slot_begins ? 1 : 0;
    if (observation.slot_begins) decision.call_again = observation.now + scenario.step / 2;
  });
  Driver(desk, desk, policy).Run();
  EXPECT_EQ(begins, 24);
  EXPECT_EQ(policy.calls, 48);
}

TEST(Driver, ShowsANewPolicyEveryJobThatLives) {
  const scenario::Scenario scenario = Made();
  DeskWorld desk(scenario);
  std::size_t seen = 0;
  Scripted idle([&](const auto& observation, auto&) { seen += observation.arrived.size(); });
  Driver driver(desk, desk, idle);
  driver.Step();
  while (driver.Wait()) driver.Step();
  EXPECT_EQ(seen, scenario.jobs.size());
  bool first = false;
  std::size_t again = 0;
  Scripted next([&](const auto& observation, auto&) {
    first = observation.is_first;
    again = observation.arrived.size();
  });
  driver.Replace(next);
  driver.Step();
  EXPECT_TRUE(first);
  EXPECT_EQ(again, scenario.jobs.size());  // none was ever started
}

// A start that the world does not carry out within a slot expires.
TEST(Driver, OrdersExpireAfterASlot) {
  const scenario::Scenario scenario = Made();
  DeskWorld desk(scenario);
  StubbornWorld slow(desk, scenario.step + Duration{1});
  std::vector<Receipt> heard;
  int orders = 0;
  Scripted policy([&](const policy::Observation& observation, policy::Decision& decision) {
    heard.insert(heard.end(), observation.receipts.begin(), observation.receipts.end());
    for (const auto& [id, job] : observation.jobs) {
      // The sixth order is the first that the world delays.
      if (orders < 6 && MayStart(job.phase)) decision.jobs.push_back({id, policy::RunSetting{0, 0}, {}, {}});
    }
    if (decision.jobs.size() > 1) decision.jobs.resize(1);
    orders += static_cast<int>(decision.jobs.size());
    decision.call_again = observation.now + Duration{60};
  });
  Driver(slow, desk, policy).Run();
  ASSERT_EQ(orders, 6);
  const auto expired = std::find_if(heard.begin(), heard.end(),
                                    [](const Receipt& receipt) { return receipt.status == Receipt::Status::kExpired; });
  ASSERT_NE(expired, heard.end());
}

TEST(Driver, RefusesWhatNoWorldMayBeGivenAndSaysSo) {
  const scenario::Scenario scenario = Made();
  DeskWorld desk(scenario);
  std::vector<Receipt> heard;
  Scripted policy([&](const auto& observation, auto& decision) {
    heard.insert(heard.end(), observation.receipts.begin(), observation.receipts.end());
    if (observation.is_first) decision.jobs.push_back({424242, policy::RunSetting{0, 0}});
  });
  Driver driver(desk, desk, policy);
  driver.Run();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].status, Receipt::Status::kRefused);
  EXPECT_EQ(heard[0].job, policy::JobId{424242});
  EXPECT_EQ(driver.violations(), 1U);
}

// The sixth order of a stubborn world is pending. Until it is carried out, the policy sees that in every call and
// cannot order the job again.
TEST(Driver, RepeatsPendingReceiptsAndHoldsOrdersBackMeanwhile) {
  const scenario::Scenario scenario = Made();
  DeskWorld desk(scenario);
  StubbornWorld stubborn(desk, std::chrono::hours{2});
  int pending = 0;
  int held_back = 0;
  std::map<policy::JobId, Receipt::Status> last;
  Scripted policy([&](const auto& observation, auto& decision) {
    for (const Receipt& receipt : observation.receipts) {
      pending += receipt.status == Receipt::Status::kPending ? 1 : 0;
      held_back += receipt.why == "an earlier order is under way" ? 1 : 0;
    }
    // Starts each waiting job in every call.
    for (const auto& [id, job] : observation.jobs) {
      const auto points = observation.site->PointsFor(job.asked, 0);
      if (MayStart(job.phase) && !points.empty()) decision.jobs.push_back({id, policy::RunSetting{0, points.front()}});
    }
    decision.call_again = observation.now + std::chrono::minutes{10};
  });
  Driver driver(stubborn, desk, policy);
  driver.Run();
  EXPECT_GT(pending, 1);
  EXPECT_GT(held_back, 0);
  for (const auto& item : desk.starts()) EXPECT_EQ(item.second, 1) << item.first;
}

TEST(Driver, NumbersOrdersOnce) {
  const scenario::Scenario scenario = Made();
  DeskWorld desk(scenario);
  class Numbers : public StepListener {
   public:
    void Stepped(const policy::Observation& /*observation*/, const policy::Decision& decision) override {
      for (const auto& order : decision.jobs) {
        EXPECT_GT(order.id, last);
        last = order.id;
      }
    }
    policy::OrderId last = 0;
  } numbers;
  auto policy = *policy::Make("run-now", {});
  Driver(desk, desk, *policy, &numbers).Run();
  EXPECT_GE(numbers.last, scenario.jobs.size());
}

}  // namespace
}  // namespace heliostat::loop
