// Leases over a new driver, a boot, a restart of the agent and a restore.
#include "heliostat/node/lease/gpu_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/lease/lease_summary.h"
#include "heliostat/node/lease/testing/leases_fixture.h"
#include "heliostat/node/lease/testing/watched_gpu.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::SetOutcome;
using device::Setting;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(GpuLeasesTest, ANewDriverGetsLivingLeasesAgain) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  const auto power = leases.Take(world_.By(10, Limit(300)));
  const auto core = leases.Take(world_.By(10, Lock(900)));
  world_.gpu.Reload();
  world_.machine.Pass(31s);
  const int writes = world_.gpu.writes();
  leases.Tick();
  leases.Tick();
  EXPECT_EQ(world_.gpu.writes(), writes + 2) << "the limit, and the clock, which cannot be read";
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 0) << world_.text();
  ASSERT_TRUE(leases.Release(core->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(leases.Release(power->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesTest, AfterANewDriverAnotherValueIsSomebodyElses) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  world_.gpu.Reload();
  world_.gpu.SetBehindOurBack(Limit(450));
  leases.Tick();
  EXPECT_EQ(Only(leases).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.limit_w(), 450);
}

TEST_F(GpuLeasesTest, WithoutANewDriverTheDefaultIsAValueLikeOthers) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  world_.gpu.SetBehindOurBack(Limit(700));
  leases.Tick();
  EXPECT_EQ(Only(leases).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.limit_w(), 700);
}

TEST_F(GpuLeasesTest, ABootEndsEveryLeaseAndTheBaseComesBack) {
  world_.gpu.SetBehindOurBack(Limit(550));
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(leases.Take(world_.WithoutProcess(Limit(400))));
    ASSERT_TRUE(leases.Take(world_.By(10, Lock(900))));
  }
  world_.Reboot();
  world_.machine.Start(10);  // another process, with luck of the same number and start
  const int writes = world_.gpu.writes();
  GpuLeases leases = world_.Open();
  EXPECT_EQ(world_.gpu.writes(), writes + 1) << "a boot unlocks clocks";
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesTest, AfterABootAnotherValueIsSomebodyElses) {
  world_.gpu.SetBehindOurBack(Limit(550));
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.Reboot();
  world_.gpu.SetBehindOurBack(Limit(650));
  GpuLeases leases = world_.Open();
  ExpectAllIsBack(leases, 650);
}

TEST_F(GpuLeasesTest, ACardThatABootDidNotResetIsRestored) {
  world_.gpu.SetBehindOurBack(Limit(550));
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.machine.Boot();
  GpuLeases leases = world_.Open();
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesTest, ARestartLeavesLivingLeasesAlone) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(leases.Take(world_.WithoutProcess(Limit(400))));
    ASSERT_TRUE(leases.Take(world_.By(11, Lock(900))));
  }
  const int writes = world_.gpu.writes();
  GpuLeases leases = world_.Open();
  leases.Tick();
  EXPECT_THAT(leases.leases(), SizeIs(3));
  EXPECT_EQ(world_.gpu.writes(), writes + 1) << "only the clock, which cannot be read";
  EXPECT_EQ(world_.limit_w(), 300);
}

TEST_F(GpuLeasesTest, TheAgentsLeaveTakesTheSettingsAndItsReturnBringsThem) {
  world_.gpu.SetBehindOurBack(Limit(550));
  std::string id;
  {
    GpuLeases leases = world_.Open();
    id = leases.Take(world_.By(10, Limit(300)))->lease.id;
    ASSERT_TRUE(leases.Take(world_.By(10, Lock(900))));
    ASSERT_TRUE(leases.PutBack());
    EXPECT_EQ(world_.limit_w(), 550);
    EXPECT_EQ(world_.gpu.writes(), 4);
    leases.Tick();
    EXPECT_EQ(world_.limit_w(), 550) << "nothing is turned after it";
    EXPECT_FALSE(leases.Take(world_.By(11, Limit(300))));
  }
  {
    GpuLeases leases = world_.Open();
    EXPECT_THAT(leases.leases(), SizeIs(2));
    EXPECT_EQ(leases.leases()[0].id, id);
    EXPECT_EQ(world_.limit_w(), 300);
    EXPECT_EQ(world_.gpu.writes(), 6);
    ASSERT_TRUE(leases.PutBack());
  }
  world_.machine.Kill(10);
  const int writes = world_.gpu.writes();
  GpuLeases leases = world_.Open();
  EXPECT_EQ(world_.gpu.writes(), writes) << "it is back already, the clock too";
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesTest, ARestoreWritesEachKnobOnceAndKeepsLivingLeases) {
  world_.gpu.SetBehindOurBack(Limit(550));
  for (const bool is_stopped_in_order : {true, false}) {
    {
      GpuLeases leases = world_.Open();
      if (leases.leases().empty()) {
        ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
        ASSERT_TRUE(leases.Take(world_.By(11, Lock(900))));
      }
      if (is_stopped_in_order) ASSERT_TRUE(leases.PutBack());
    }
    const int writes = world_.gpu.writes();
    for (int i = 0; i < 2; ++i) {
      GpuLeases leases = world_.Open(world_.gpu, {OpenPurpose::kRestore, {}});
      EXPECT_THAT(leases.leases(), SizeIs(2));
      EXPECT_FALSE(leases.Take(world_.By(12, Limit(250))));
      leases.Tick();
      ASSERT_TRUE(leases.PutBack());
      EXPECT_EQ(world_.limit_w(), 550);
    }
    EXPECT_EQ(world_.gpu.writes(), writes + (is_stopped_in_order ? 0 : 2));
    GpuLeases leases = world_.Open();
    EXPECT_EQ(world_.limit_w(), 300);
    EXPECT_EQ(world_.gpu.writes(), writes + (is_stopped_in_order ? 2 : 4));
  }
}

TEST_F(GpuLeasesTest, ALookPutsBackWhatHasEndedAndTurnsNothingElse) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(leases.Take(world_.By(11, Lock(900))));
    ASSERT_TRUE(leases.PutBack());
  }
  const int stopped = world_.gpu.writes();
  for (const Lease& lease : world_.Open(world_.gpu, {OpenPurpose::kLook, {}}).leases()) {
    EXPECT_EQ(lease.state, LeaseState::kWaiting);
  }
  EXPECT_EQ(world_.gpu.writes(), stopped) << "after the agent has stopped";
  (void)world_.Open();
  const int writes = world_.gpu.writes();
  EXPECT_EQ(writes, stopped + 2);
  for (int i = 0; i < 3; ++i) {
    GpuLeases leases = world_.Open(world_.gpu, {OpenPurpose::kLook, {}});
    for (const Lease& lease : leases.leases()) EXPECT_EQ(lease.state, LeaseState::kInForce);
  }
  EXPECT_EQ(world_.gpu.writes(), writes) << "a clock that cannot be read is not written again";
  world_.machine.Kill(11);
  GpuLeases leases = world_.Open(world_.gpu, {OpenPurpose::kLook, {}});
  EXPECT_EQ(world_.gpu.writes(), writes + 1);
  EXPECT_EQ(Only(leases).wanted, Limit(300));
  world_.machine.Kill(10);
  leases = world_.Open(world_.gpu, {OpenPurpose::kLook, {}});
  ExpectAllIsBack(leases, 700);
}

}  // namespace
}  // namespace heliostat::lease
