#include "heliostat/control/cluster_account/accounts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster_account {
namespace {

constexpr Instant kStart{std::chrono::seconds{1'795'000'500}};  // 900 s after a slot has begun
constexpr Duration kStep{3600};
const NodePower kPower{Watts{300}, Watts{20}, Watts{50}, Watts{400}};

cluster::JobKey Key(std::int64_t number) { return {number, {}, kStart}; }
JobSpan Job(std::int64_t number, Duration begin, Duration end, int gpus) {
  return {Key(number), {kStart + begin, kStart + end}, {{0, gpus}}};
}
account::Supply SupplyAt(const Interval& slot) {
  const auto hour = static_cast<double>(slot.begin.time_since_epoch() / kStep % 24);
  return {GramsPerKwh(100 + 10 * hour), KilowattHours(0.2), GramsPerKwh(20), 0.1 + 0.01 * hour, 1.3};
}
// On-site energy that depends on nothing within the slot, so that open and closed slots agree.
account::Supply GridAt(const Interval& slot) {
  account::Supply supply = SupplyAt(slot);
  supply.renewable = {};
  return supply;
}

void ExpectNear(const account::Balance& a, const account::Balance& b) {
  EXPECT_NEAR(a.it.value, b.it.value, 1e-6 * (1 + b.it.value));
  EXPECT_NEAR(a.facility.value, b.facility.value, 1e-6 * (1 + b.facility.value));
  EXPECT_NEAR(a.renewable_used.value, b.renewable_used.value, 1e-6 * (1 + b.renewable_used.value));
  EXPECT_NEAR(a.carbon.value, b.carbon.value, 1e-6 * (1 + b.carbon.value));
  EXPECT_NEAR(a.cost, b.cost, 1e-6 * (1 + b.cost));
}

TEST(Accounts, PriceASlotOnceItIsOver) {
  Accounts accounts(kStart, kStep);
  const std::vector nodes{NodeSpan{kPower, 4, false}};
  accounts.Advance(kStart + Duration{1000}, nodes, {}, SupplyAt);
  EXPECT_EQ(accounts.closed().it.value, 0.0);
  EXPECT_DOUBLE_EQ(accounts.Open(SupplyAt(accounts.OpenSlot())).it.value, 500 * 1000);
  accounts.Advance(kStart + kStep, nodes, {}, SupplyAt);
  EXPECT_DOUBLE_EQ(accounts.closed().it.value, 500 * 2700);
  EXPECT_DOUBLE_EQ(accounts.Open(SupplyAt(accounts.OpenSlot())).it.value, 500 * 900);
}

TEST(Accounts, CountNothingTwice) {
  Accounts accounts(kStart, kStep);
  const std::vector nodes{NodeSpan{kPower, 4, false}};
  const std::vector jobs{Job(1, Duration{-9000}, Duration{50}, 2)};
  accounts.Advance(kStart + Duration{100}, nodes, jobs, GridAt);
  accounts.Advance(kStart + Duration{200}, nodes, jobs, GridAt);
  accounts.Advance(kStart + Duration{150}, nodes, jobs, GridAt);  // a clock that went back
  const account::Balance job = accounts.Of(Key(1), GridAt(accounts.OpenSlot()));
  EXPECT_DOUBLE_EQ(job.it.value, (2 * 400 + 150) * 50);
  EXPECT_DOUBLE_EQ(accounts.Open(GridAt(accounts.OpenSlot())).it.value, 500 * 200 + 2 * 350 * 50);
}

// Law: a job that becomes known late uses as much as one that is known in time.
TEST(Accounts, CountALateJobInFull) {
  const std::vector nodes{NodeSpan{kPower, 4, false}};
  std::vector jobs{Job(1, Duration{-100}, Duration{5000}, 2)};
  Accounts in_time(kStart, kStep);
  in_time.Advance(kStart + Duration{6000}, nodes, jobs, GridAt);
  Accounts late(kStart, kStep);
  Joules of_nodes = late.Advance(kStart + Duration{5900}, nodes, {}, GridAt)[0];
  jobs[0].is_late = true;
  of_nodes += late.Advance(kStart + Duration{6000}, nodes, jobs, GridAt)[0];
  const account::Supply now = GridAt(late.OpenSlot());
  ExpectNear(late.Of(Key(1), now), in_time.Of(Key(1), now));
  ExpectNear(late.closed(), in_time.closed());
  ExpectNear(late.Unused(now), in_time.Unused(now));
  ExpectNear(late.Open(now), in_time.Open(now));
  EXPECT_NEAR(of_nodes.value, (late.closed().it + late.Open(now).it).value, 1e-3);
}

TEST(Accounts, RememberWhatAForgottenJobUsed) {
  Accounts accounts(kStart, kStep);
  accounts.Advance(kStart + 2 * kStep, std::vector{NodeSpan{kPower, 4, false}},
                   std::vector{Job(1, Duration{0}, Duration{50}, 2)}, SupplyAt);
  const account::Balance before = accounts.Of(Key(1), SupplyAt(accounts.OpenSlot()));
  accounts.Forget(Key(1));
  EXPECT_EQ(accounts.Of(Key(1), SupplyAt(accounts.OpenSlot())).it.value, 0.0);
  ExpectNear(accounts.forgotten(), before);
}

// Law: in energy, carbon and cost, jobs and nobody sum to the cluster, also with on-site energy, and in however many
// steps time has passed.
RC_GTEST_PROP(Accounts, SumToTheCluster, ()) {
  const auto some = [](int from, int to) { return *rc::gen::inRange(from, to); };
  const std::vector nodes{NodeSpan{kPower, 8, false}, NodeSpan{kPower, 8, true}};
  std::vector<JobSpan> jobs;
  for (int j = some(0, 6); j > 0; --j) {
    const int begin = some(-5000, 20000);
    jobs.push_back(Job(j, Duration{begin}, Duration{begin + some(0, 9000)}, some(1, 9)));
  }
  Accounts at_once(kStart, kStep);
  at_once.Advance(kStart + Duration{20000}, nodes, jobs, SupplyAt);
  Accounts in_steps(kStart, kStep);
  Joules of_nodes;
  for (int until = 0; until < 20000;) {
    until = std::min(20000, until + some(1, 5000));
    for (const Joules of_node : in_steps.Advance(kStart + Duration{until}, nodes, jobs, SupplyAt)) of_nodes += of_node;
    if (some(0, 3) == 0) {
      const auto restored = Accounts::FromJson(in_steps.ToJson());
      RC_ASSERT(restored.has_value());
      in_steps = *restored;
    }
  }
  const account::Supply now = SupplyAt(at_once.OpenSlot());
  for (const Accounts* accounts : {&at_once, &in_steps}) {
    account::Balance shared = accounts->Unused(now);
    for (const auto& [key, balance] : accounts->OfAll(now)) {
      shared += balance;
      ExpectNear(accounts->Of(key, now), balance);
    }
    ExpectNear(shared, Sum(accounts->closed(), accounts->Open(now)));
  }
  ExpectNear(in_steps.closed(), at_once.closed());
  RC_ASSERT(std::abs((of_nodes - at_once.closed().it - at_once.Open(now).it).value) <= 1e-6 * of_nodes.value);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(JobKeyText, IsReadAsItWasWritten) {
  for (const cluster::JobKey& key : {Key(17), cluster::JobKey{17, 3, kStart}, cluster::JobKey{0, 0, Instant{}}}) {
    EXPECT_EQ(KeyOf(TextOf(key)), key) << TextOf(key);
  }
  for (const char* text : {"", "17", "17@", "@5", "17_@5", "x@5", "17@5 "}) EXPECT_FALSE(KeyOf(text)) << text;
}

TEST(Accounts, RefuseWhatIsNoAccounts) {
  const io::Json good = Accounts(kStart, kStep).ToJson();
  ASSERT_TRUE(Accounts::FromJson(good));
  for (const auto& [key, value] : **good.Members()) {
    io::Json bad = good;
    bad.Set(key, "x");
    EXPECT_FALSE(Accounts::FromJson(bad)) << key;
  }
}

}  // namespace
}  // namespace heliostat::cluster_account
