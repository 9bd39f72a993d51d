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

TEST_F(GpuLeasesTest, ALeaseTurnsTheKnobAndItsEndPutsItBackWhereItWas) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(300)));
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kAsAsked);
  EXPECT_EQ(grant->lease.previous, Limit(550));
  EXPECT_EQ(grant->lease.state, LeaseState::kInForce);
  EXPECT_EQ(grant->lease.gpu, world_.gpu.identity().uuid);
  EXPECT_EQ(grant->lease.expires, world_.machine.SinceBoot() + 3600s);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 2);
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesTest, ThePreviousValueIsOnDiskBeforeTheCardIsTouched) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  world_.gpu.FailWrites(kLost);
  // The card is lost in the moment of the write, so what the file has then is what it had before.
  EXPECT_FALSE(leases.Take(world_.By(10, Limit(300))));
  const auto found = io::Journal::Parse(world_.scratch.Bytes());
  bool has_base = false;
  for (const io::Json& record : found.records) {
    const io::Json* const base = record.Find("base");
    has_base = has_base || (base != nullptr && base->Line().find("550") != std::string::npos);
  }
  EXPECT_TRUE(has_base);
}

TEST_F(GpuLeasesTest, RefusesWhatCannotBeALease) {
  GpuLeases leases = world_.Open();
  EXPECT_EQ(leases.Take(world_.By(10, Setting::Default(Knob::kPowerLimit))).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(leases.Take(world_.By(10, Limit(900))).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(leases.Take(world_.By(10, Limit(300), 0)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(leases.Take(world_.By(10, Limit(300), -5)).error().code, ErrorCode::kInvalidArgument);
  LeaseRequest dead = world_.By(10, Limit(300));
  world_.machine.Kill(10);
  EXPECT_EQ(leases.Take(dead).error().code, ErrorCode::kInvalidArgument);
  LeaseRequest wordy = world_.WithoutProcess(Limit(300));
  wordy.owner.job = std::string(100'000, 'x');
  EXPECT_EQ(leases.Take(wordy).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesTest, NothingIsWrittenToACardThatStandsWhereItShould) {
  world_.gpu.SetBehindOurBack(Limit(300));
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(300)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kAsAsked);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(leases, 300);
}

TEST_F(GpuLeasesTest, ALimitThatIsTheDefaultOneIsALimitLikeOthers) {
  world_.gpu.SetBehindOurBack(Limit(400));
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(700)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(world_.limit_w(), 700);
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 400);
}

TEST_F(GpuLeasesTest, TheLowerWishWinsAndTheOtherIsOutdone) {
  GpuLeases leases = world_.Open();
  const auto high = leases.Take(world_.By(10, Limit(400)));
  const auto low = leases.Take(world_.By(11, Limit(300)));
  const auto middle = leases.Take(world_.By(12, Limit(350)));
  ASSERT_TRUE(high && low && middle);
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(middle->applied.stands, Limit(300));
  EXPECT_EQ(middle->applied.outcome, SetOutcome::kClamped);
  EXPECT_EQ(leases.leases()[0].state, LeaseState::kOutdone);
  EXPECT_EQ(leases.leases()[1].state, LeaseState::kInForce);
  EXPECT_EQ(leases.leases()[2].state, LeaseState::kOutdone);
  EXPECT_EQ(leases.leases()[2].previous, Setting::PowerLimit(Watts{700})) << "and not where the other lease had it";
  ASSERT_TRUE(leases.Release(low->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 350);
  ASSERT_TRUE(leases.Release(middle->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(leases.Release(high->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesTest, OfClocksWithTheSameTopTheOlderWins) {
  GpuLeases leases = world_.Open();
  const auto older = leases.Take(world_.By(10, Lock(900)));
  const auto newer = leases.Take(world_.By(11, Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(900))));
  ASSERT_TRUE(older && newer);
  EXPECT_EQ(older->applied.outcome, SetOutcome::kUnverified);
  EXPECT_EQ(newer->lease.state, LeaseState::kOutdone);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(GpuLeasesTest, KnobsAreIndependent) {
  GpuLeases leases = world_.Open();
  const auto power = leases.Take(world_.By(10, Limit(300)));
  const auto core = leases.Take(world_.By(10, Lock(900)));
  ASSERT_TRUE(power && core);
  ASSERT_TRUE(leases.Release(power->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 700);
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
  EXPECT_EQ(Only(leases).previous, Setting::Default(Knob::kCoreClock));
  ASSERT_TRUE(leases.Release(core->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 4);
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesTest, AnUnknownLeaseIsNotThere) {
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(300)));
  for (const std::string& id : {std::string(), std::string("x"), "0" + grant->lease.id, grant->lease.id + "0",
                                grant->lease.id + "x", std::string("00000000-1")}) {
    EXPECT_EQ(leases.Release(id, LeaseEnd::kReleased).error().code, ErrorCode::kNotFound) << id;
    EXPECT_EQ(leases.Renew(id, 5s).error().code, ErrorCode::kNotFound) << id;
  }
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(leases.Release(grant->lease.id, LeaseEnd::kReleased).error().code, ErrorCode::kNotFound)
      << "released twice";
}

TEST_F(GpuLeasesTest, IdsNeverComeBack) {
  std::set<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    GpuLeases leases = world_.Open();
    const auto grant = leases.Take(world_.By(10, Limit(300)));
    EXPECT_TRUE(ids.insert(grant->lease.id).second) << grant->lease.id;
    ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  }
}

TEST_F(GpuLeasesTest, TheDeathOfItsOwnerEndsALease) {
  GpuLeases leases = world_.Open();
  ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  ASSERT_TRUE(leases.Take(world_.By(11, Limit(400))));
  ASSERT_TRUE(leases.Take(world_.By(12, Limit(350))));
  world_.machine.Kill(10);
  world_.machine.Kill(12);
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 400);
  EXPECT_EQ(world_.gpu.writes(), 2) << "straight to the lowest that is left";
  EXPECT_EQ(Only(leases).owner.process->pid, 11);
  world_.machine.Kill(11);
  leases.Tick();
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesTest, ALeaseRunsOutUnlessItIsRenewed) {
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.WithoutProcess(Limit(300), 100));
  world_.machine.Pass(99s);
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 300);
  ASSERT_TRUE(leases.Renew(grant->lease.id, 50s));
  world_.machine.Pass(49s);
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_FALSE(leases.Renew(grant->lease.id, 0s));
  world_.machine.Pass(1s);
  leases.Tick();
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesTest, RenewalSurvivesARestart) {
  {
    GpuLeases leases = world_.Open();
    const auto grant = leases.Take(world_.WithoutProcess(Limit(300), 10));
    ASSERT_TRUE(leases.Renew(grant->lease.id, 1000s));
  }
  world_.machine.Pass(500s);
  GpuLeases leases = world_.Open();
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(GpuLeasesTest, WhatSomebodyElseTurnedIsTheirs) {
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(300)));
  const auto other = leases.Take(world_.By(11, Limit(350)));
  world_.gpu.SetBehindOurBack(Limit(450));
  leases.Tick();
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 450);
  EXPECT_EQ(leases.leases()[0].state, LeaseState::kOverridden);
  EXPECT_EQ(leases.leases()[1].state, LeaseState::kOverridden);
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  EXPECT_THAT(world_.text(), HasSubstr("450 W"));
  // The next one starts from there.
  const auto next = leases.Take(world_.By(12, Limit(400)));
  EXPECT_EQ(next->lease.previous, Limit(450));
  EXPECT_EQ(world_.limit_w(), 400);
  ASSERT_TRUE(leases.Release(next->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 450);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(leases.Release(other->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 450);
}

TEST_F(GpuLeasesTest, AForeignHandIsNoticedBeforeAnythingIsWritten) {
  GpuLeases leases = world_.Open();
  const auto first = leases.Take(world_.By(10, Limit(300)));
  world_.gpu.SetBehindOurBack(Limit(450));
  const auto second = leases.Take(world_.By(11, Limit(250)));
  EXPECT_EQ(second->lease.previous, Limit(450));
  world_.gpu.SetBehindOurBack(Limit(500));
  ASSERT_TRUE(leases.Release(second->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 500);
  ASSERT_TRUE(leases.Release(first->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 2);
  ExpectAllIsBack(leases, 500);
}

TEST_F(GpuLeasesTest, OverriddenStaysOverriddenThroughARestart) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
    world_.gpu.SetBehindOurBack(Limit(450));
    leases.Tick();
  }
  GpuLeases leases = world_.Open();
  EXPECT_EQ(Only(leases).state, LeaseState::kOverridden);
  world_.machine.Kill(10);
  leases.Tick();
  EXPECT_EQ(world_.gpu.writes(), 1);
  ExpectAllIsBack(leases, 450);
}

TEST_F(GpuLeasesTest, WhatSomebodyElseTurnedWhileNobodyLookedIsTheirsToo) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  }
  world_.machine.Kill(10);
  world_.gpu.SetBehindOurBack(Limit(450));
  GpuLeases leases = world_.Open();
  EXPECT_THAT(world_.text(), HasSubstr("another program"));
  ExpectAllIsBack(leases, 450);
}

TEST_F(GpuLeasesTest, TheBaseIsAValueLikeOthersWhenSomebodyElseSetsIt) {
  GpuLeases leases = world_.Open();
  ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  world_.gpu.SetBehindOurBack(Limit(700));
  leases.Tick();
  EXPECT_EQ(Only(leases).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(GpuLeasesTest, AKnobThatIsFoundAtItsBaseIsTurnedAgain) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  }
  world_.gpu.SetBehindOurBack(Limit(700));
  GpuLeases leases = world_.Open();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
}

TEST(LeaseTest, IsDescribedForPeopleAndScripts) {
  World world;
  GpuLeases leases = world.Open();
  const auto grant = leases.Take(world.By(10, Limit(300), 60));
  world.machine.Pass(20s);
  EXPECT_EQ(Describe(SummaryOf(grant->lease, world.machine.SinceBoot())).Line(),
            R"({"id":")" + grant->lease.id + R"(","gpu":")" + world.gpu.identity().uuid +
                R"(","owner":{"uid":1000,"user":"ada","pid":10,"job":"train"},)"
                R"("wanted":{"knob":"power-limit","default":false,"power_limit_w":300},)"
                R"("previous":{"knob":"power-limit","default":false,"power_limit_w":700},)"
                R"("granted":"2023-11-14T22:13:20Z","expires_in_s":40,"state":"in-force"})");
}

TEST_F(GpuLeasesTest, AClockGoesBackToTheBaseThatTheOperatorNames) {
  WatchedGpu card(world_.gpu);
  const Setting base = Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(1500));
  card.SetCoreClock(base);
  const OpenOptions options{OpenPurpose::kServe, {{Knob::kCoreClock, base}}};
  for (const bool is_crash : {false, true}) {
    std::optional<GpuLeases> leases(world_.Open(card, options));
    const auto grant = leases->Take(world_.By(10, Lock(900)));
    ASSERT_TRUE(grant) << grant.error().Line();
    EXPECT_EQ(grant->lease.previous, base);
    EXPECT_EQ(card.core_clock(), Lock(900));
    if (is_crash) {
      world_.machine.Kill(10);
      leases.emplace(world_.Open(card));  // the journal has it, whatever the options are now
    } else {
      ASSERT_TRUE(leases->Release(grant->lease.id, LeaseEnd::kReleased));
    }
    EXPECT_EQ(card.core_clock(), base);
  }
  GpuLeases leases = world_.Open(card);
  EXPECT_EQ(leases.Take(world_.By(10, Lock(900)))->lease.previous, Setting::Default(Knob::kCoreClock));
}

TEST_F(GpuLeasesTest, ABaseThatTheCardDoesNotSupportGrantsNothing) {
  const Setting base = Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(99'000));
  GpuLeases leases = world_.Open(world_.gpu, {OpenPurpose::kServe, {{Knob::kCoreClock, base}}});
  const auto grant = leases.Take(world_.By(10, Lock(900)));
  ASSERT_FALSE(grant);
  EXPECT_EQ(grant.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(grant.error().Line(), HasSubstr("99000"));
  EXPECT_TRUE(leases.Take(world_.By(10, Limit(300)))) << "other knobs are served";
}

}  // namespace
}  // namespace heliostat::lease
