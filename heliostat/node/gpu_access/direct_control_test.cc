#include "heliostat/node/gpu_access/direct_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/gpu_access/testing/two_cards.h"
#include "heliostat/node/lease/folder.h"
#include "heliostat/node/lease/gpu_leases.h"
#include "heliostat/node/lease/testing/fake_machine.h"

namespace heliostat::gpu_access {
namespace {

using device::Setting;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr pid_t kProgram = 77;

SettingWish Limit(double watts) { return {Setting::PowerLimit(Watts{watts}), seconds(3600), std::nullopt, "night"}; }

class DirectControlTest : public ::testing::Test {
 protected:
  // As of another program each time: nothing is shared but the folder and the cards.
  DirectControl Control() { return {scratch_.folder() / "state", gpus_, machine_}; }
  device::Gpu& gpu(std::size_t index = 0) { return *gpus_.all[index]; }
  double LimitOf(std::size_t index = 0) { return gpu(index).Stands(device::Knob::kPowerLimit)->limit().value; }

  io::Scratch scratch_;
  Gpus gpus_ = TwoGpus();
  std::shared_ptr<lease::FakeMachine> machine_ = std::make_shared<lease::FakeMachine>();
};

TEST_F(DirectControlTest, AGrantTellsWhoHasWhatForHowLongAndWhatTheCardDid) {
  machine_->Start(kProgram);
  SettingWish wish = Limit(300);
  wish.pid = kProgram;
  const auto grant = Control().Take(gpu(), wish);
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(grant->lease.gpu, gpu().identity().uuid);
  EXPECT_EQ(grant->lease.uid, ::getuid());
  EXPECT_EQ(grant->lease.pid, kProgram);
  EXPECT_EQ(grant->lease.job, "night");
  EXPECT_EQ(grant->lease.left, wish.ttl);
  EXPECT_EQ(grant->lease.wanted, wish.setting);
  EXPECT_EQ(grant->lease.previous, Setting::PowerLimit(Watts{700}));
  EXPECT_EQ(grant->lease.state, lease::LeaseState::kInForce);
  EXPECT_EQ(grant->applied, (device::Applied{wish.setting, wish.setting, device::SetOutcome::kAsAsked}));
  EXPECT_EQ(LimitOf(), 300);
}

TEST_F(DirectControlTest, ALeaseOfThisProcessEndsWithIt) {
  machine_->Start(::getpid());
  SettingWish wish = Limit(300);
  wish.pid = kThisProcess;
  const auto grant = Control().Take(gpu(), wish);
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(grant->lease.pid, ::getpid());
}

TEST_F(DirectControlTest, TheLowestOfSeveralProgramsWinsAndEachEndsItsOwn) {
  const auto low = Control().Take(gpu(), Limit(300));
  const auto high = Control().Take(gpu(), Limit(400));
  ASSERT_TRUE(low && high);
  EXPECT_EQ(high->lease.state, lease::LeaseState::kOutdone);
  EXPECT_EQ(high->applied.stands, Setting::PowerLimit(Watts{300})) << "what stands, not what was asked";
  ASSERT_TRUE(Control().Release(gpu(), low->lease.id));
  EXPECT_EQ(LimitOf(), 400);
  const auto left = Control().Leases(true);
  ASSERT_TRUE(left);
  ASSERT_THAT(*left, SizeIs(1));
  EXPECT_EQ(left->front().id, high->lease.id);
  EXPECT_EQ(left->front().state, lease::LeaseState::kInForce);
  ASSERT_TRUE(Control().Release(gpu(), high->lease.id));
  EXPECT_EQ(LimitOf(), 700);
  EXPECT_EQ(Control().Release(gpu(), high->lease.id).error().code, ErrorCode::kNotFound);
}

TEST_F(DirectControlTest, AProcessThatIsNotThereHoldsNothing) {
  SettingWish wish = Limit(300);
  wish.pid = kProgram;
  const auto grant = Control().Take(gpu(), wish);
  ASSERT_FALSE(grant);
  EXPECT_EQ(grant.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(CardOf(gpus_, 0).writes(), 0);
  EXPECT_THAT(*Control().Leases(true), SizeIs(0));
}

TEST_F(DirectControlTest, WhatDiedOrRanOutIsPutBackByWhateverLooksNext) {
  machine_->Start(kProgram);
  SettingWish wish = Limit(300);
  wish.pid = kProgram;
  ASSERT_TRUE(Control().Take(gpu(0), wish));
  ASSERT_TRUE(Control().Take(gpu(1), Limit(200)));
  machine_->Kill(kProgram);
  EXPECT_THAT(*Control().Leases(true), SizeIs(1));
  EXPECT_EQ(LimitOf(0), 700);
  EXPECT_EQ(LimitOf(1), 200);
  machine_->Pass(seconds(3599));
  EXPECT_EQ(Control().Leases(true)->front().left, seconds(1));
  machine_->Pass(seconds(2));
  EXPECT_THAT(*Control().Leases(true), SizeIs(0));
  EXPECT_EQ(LimitOf(1), 300) << "the A40's default";
}

TEST_F(DirectControlTest, AMereLookTurnsNoCard) {
  ASSERT_TRUE(Control().Take(gpu(), Limit(300)));
  SettingWish clock{Setting::Clock(device::Knob::kCoreClock, Megahertz(900), Megahertz(900)), seconds(3600), {}, ""};
  ASSERT_TRUE(Control().Take(gpu(), clock));
  {
    // An agent stops: it puts the card back and keeps the leases.
    const std::string journal = lease::JournalPath(scratch_.folder() / "state", gpu().identity().uuid);
    ASSERT_TRUE(lease::GpuLeases::Open(journal, gpu(), *machine_, {})->PutBack());
  }
  ASSERT_EQ(LimitOf(), 700);
  const int writes = CardOf(gpus_, 0).writes();
  for (int i = 0; i < 3; ++i) {
    const auto leases = Control().Leases(true);
    ASSERT_THAT(*leases, SizeIs(2));
    for (const auto& lease : *leases) EXPECT_EQ(lease.state, lease::LeaseState::kWaiting);
  }
  EXPECT_EQ(*Control().Reset(gpu()), 2);
  EXPECT_EQ(CardOf(gpus_, 0).writes(), writes) << "the card stands where it should";
  ASSERT_TRUE(Control().Take(gpu(), Limit(300)));
  EXPECT_EQ(Control().Leases(true)->front().state, lease::LeaseState::kInForce);
  EXPECT_EQ(CardOf(gpus_, 0).writes(), writes + 1);
}

TEST_F(DirectControlTest, AResetEndsAllOfOneGpuAndSaysHowMany) {
  ASSERT_TRUE(Control().Take(gpu(0), Limit(300)));
  ASSERT_TRUE(Control().Take(gpu(0), Limit(400)));
  ASSERT_TRUE(Control().Take(gpu(1), Limit(200)));
  EXPECT_EQ(*Control().Reset(gpu(0)), 2);
  EXPECT_EQ(*Control().Reset(gpu(0)), 0);
  EXPECT_EQ(LimitOf(0), 700);
  EXPECT_EQ(LimitOf(1), 200);
}

TEST_F(DirectControlTest, AResetThatTheCardRefusesSaysWhereItShouldStand) {
  ASSERT_TRUE(Control().Take(gpu(), Limit(300)));
  CardOf(gpus_, 0).FailWrites(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  const auto reset = Control().Reset(gpu());
  ASSERT_FALSE(reset);
  EXPECT_THAT(reset.error().Line(), HasSubstr("700 W"));
  EXPECT_THAT(reset.error().Line(), HasSubstr("is lost"));
  CardOf(gpus_, 0).FailWrites(std::nullopt);
  ASSERT_TRUE(Control().Reset(gpu()));
  EXPECT_EQ(LimitOf(), 700) << "the next process that opens the journal restores the knob";
}

TEST_F(DirectControlTest, WhatTheCardRefusesLeavesNoLease) {
  CardOf(gpus_, 0).FailWrites(Error{ErrorCode::kPermissionDenied, "GPU 0", "may not be set", ""});
  const auto grant = Control().Take(gpu(), Limit(300));
  ASSERT_FALSE(grant);
  EXPECT_EQ(grant.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(*Control().Leases(true), SizeIs(0));
}

}  // namespace
}  // namespace heliostat::gpu_access
