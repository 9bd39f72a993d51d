#include "heliostat/node/lease/gpu_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/lease/lease_summary.h"
#include "heliostat/node/lease/testing/book_fixture.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::SetOutcome;
using device::Setting;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(BookTest, ALeaseTurnsTheKnobAndItsEndPutsItBackWhereItWas) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(300)));
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kAsAsked);
  EXPECT_EQ(grant->lease.previous, Limit(550));
  EXPECT_EQ(grant->lease.state, LeaseState::kInForce);
  EXPECT_EQ(grant->lease.gpu, world_.gpu.identity().uuid);
  EXPECT_EQ(grant->lease.expires, world_.machine.SinceBoot() + 3600s);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 2);
  ExpectAllIsBack(book, 550);
}

TEST_F(BookTest, ThePreviousValueIsOnDiskBeforeTheCardIsTouched) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  world_.gpu.FailWrites(kLost);
  // The card is lost in the moment of the write, so what the file has then is what it had before.
  EXPECT_FALSE(book.Take(world_.By(10, Limit(300))));
  const auto found = io::Journal::Parse(world_.scratch.Bytes());
  bool has_base = false;
  for (const io::Json& record : found.records) {
    const io::Json* const base = record.Find("base");
    has_base = has_base || (base != nullptr && base->Line().find("550") != std::string::npos);
  }
  EXPECT_TRUE(has_base);
}

TEST_F(BookTest, RefusesWhatCannotBeALease) {
  GpuLeases book = world_.Open();
  EXPECT_EQ(book.Take(world_.By(10, Setting::Default(Knob::kPowerLimit))).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(book.Take(world_.By(10, Limit(900))).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(book.Take(world_.By(10, Limit(300), 0)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(book.Take(world_.By(10, Limit(300), -5)).error().code, ErrorCode::kInvalidArgument);
  LeaseRequest dead = world_.By(10, Limit(300));
  world_.machine.Kill(10);
  EXPECT_EQ(book.Take(dead).error().code, ErrorCode::kInvalidArgument);
  LeaseRequest wordy = world_.ByNobody(Limit(300));
  wordy.owner.job = std::string(100'000, 'x');
  EXPECT_EQ(book.Take(wordy).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(book, 700);
}

TEST_F(BookTest, NothingIsWrittenToACardThatStandsWhereItShould) {
  world_.gpu.SetBehindOurBack(Limit(300));
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(300)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kAsAsked);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(book, 300);
}

TEST_F(BookTest, ALimitThatIsTheDefaultOneIsALimitLikeOthers) {
  world_.gpu.SetBehindOurBack(Limit(400));
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(700)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(world_.limit_w(), 700);
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 400);
}

TEST_F(BookTest, TheLowerWishWinsAndTheOtherIsOutdone) {
  GpuLeases book = world_.Open();
  const auto high = book.Take(world_.By(10, Limit(400)));
  const auto low = book.Take(world_.By(11, Limit(300)));
  const auto middle = book.Take(world_.By(12, Limit(350)));
  ASSERT_TRUE(high && low && middle);
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(middle->applied.stands, Limit(300));
  EXPECT_EQ(middle->applied.outcome, SetOutcome::kClamped);
  EXPECT_EQ(book.leases()[0].state, LeaseState::kOutdone);
  EXPECT_EQ(book.leases()[1].state, LeaseState::kInForce);
  EXPECT_EQ(book.leases()[2].state, LeaseState::kOutdone);
  EXPECT_EQ(book.leases()[2].previous, Setting::PowerLimit(Watts{700})) << "and not where the other lease had it";
  ASSERT_TRUE(book.Release(low->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 350);
  ASSERT_TRUE(book.Release(middle->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(book.Release(high->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 700);
}

TEST_F(BookTest, OfClocksWithTheSameTopTheOlderWins) {
  GpuLeases book = world_.Open();
  const auto older = book.Take(world_.By(10, Lock(900)));
  const auto newer = book.Take(world_.By(11, Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(900))));
  ASSERT_TRUE(older && newer);
  EXPECT_EQ(older->applied.outcome, SetOutcome::kUnverified);
  EXPECT_EQ(newer->lease.state, LeaseState::kOutdone);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(BookTest, KnobsAreIndependent) {
  GpuLeases book = world_.Open();
  const auto power = book.Take(world_.By(10, Limit(300)));
  const auto core = book.Take(world_.By(10, Lock(900)));
  ASSERT_TRUE(power && core);
  ASSERT_TRUE(book.Release(power->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 700);
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
  EXPECT_EQ(Only(book).previous, Setting::Default(Knob::kCoreClock));
  ASSERT_TRUE(book.Release(core->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 4);
  ExpectAllIsBack(book, 700);
}

TEST_F(BookTest, AnUnknownLeaseIsNotThere) {
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(300)));
  for (const std::string& id : {std::string(), std::string("x"), "0" + grant->lease.id, grant->lease.id + "0",
                                grant->lease.id + "x", std::string("00000000-1")}) {
    EXPECT_EQ(book.Release(id, LeaseEnd::kReleased).error().code, ErrorCode::kNotFound) << id;
    EXPECT_EQ(book.Renew(id, 5s).error().code, ErrorCode::kNotFound) << id;
  }
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(book.Release(grant->lease.id, LeaseEnd::kReleased).error().code, ErrorCode::kNotFound) << "released twice";
}

TEST_F(BookTest, IdsNeverComeBack) {
  std::set<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    GpuLeases book = world_.Open();
    const auto grant = book.Take(world_.By(10, Limit(300)));
    EXPECT_TRUE(ids.insert(grant->lease.id).second) << grant->lease.id;
    ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  }
}

TEST_F(BookTest, TheDeathOfItsOwnerEndsALease) {
  GpuLeases book = world_.Open();
  ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  ASSERT_TRUE(book.Take(world_.By(11, Limit(400))));
  ASSERT_TRUE(book.Take(world_.By(12, Limit(350))));
  world_.machine.Kill(10);
  world_.machine.Kill(12);
  book.Tick();
  EXPECT_EQ(world_.limit_w(), 400);
  EXPECT_EQ(world_.gpu.writes(), 2) << "straight to the lowest that is left";
  EXPECT_EQ(Only(book).owner.process->pid, 11);
  world_.machine.Kill(11);
  book.Tick();
  ExpectAllIsBack(book, 700);
}

TEST_F(BookTest, ALeaseRunsOutUnlessItIsRenewed) {
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.ByNobody(Limit(300), 100));
  world_.machine.Pass(99s);
  book.Tick();
  EXPECT_EQ(world_.limit_w(), 300);
  ASSERT_TRUE(book.Renew(grant->lease.id, 50s));
  world_.machine.Pass(49s);
  book.Tick();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_FALSE(book.Renew(grant->lease.id, 0s));
  world_.machine.Pass(1s);
  book.Tick();
  ExpectAllIsBack(book, 700);
}

TEST_F(BookTest, RenewalSurvivesARestart) {
  {
    GpuLeases book = world_.Open();
    const auto grant = book.Take(world_.ByNobody(Limit(300), 10));
    ASSERT_TRUE(book.Renew(grant->lease.id, 1000s));
  }
  world_.machine.Pass(500s);
  GpuLeases book = world_.Open();
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(BookTest, WhatSomebodyElseTurnedIsTheirs) {
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(300)));
  const auto other = book.Take(world_.By(11, Limit(350)));
  world_.gpu.SetBehindOurBack(Limit(450));
  book.Tick();
  book.Tick();
  EXPECT_EQ(world_.limit_w(), 450);
  EXPECT_EQ(book.leases()[0].state, LeaseState::kOverridden);
  EXPECT_EQ(book.leases()[1].state, LeaseState::kOverridden);
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  EXPECT_THAT(world_.text(), HasSubstr("450 W"));
  // The next one starts from there.
  const auto next = book.Take(world_.By(12, Limit(400)));
  EXPECT_EQ(next->lease.previous, Limit(450));
  EXPECT_EQ(world_.limit_w(), 400);
  ASSERT_TRUE(book.Release(next->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 450);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(book.Release(other->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 450);
}

TEST_F(BookTest, AForeignHandIsNoticedBeforeAnythingIsWritten) {
  GpuLeases book = world_.Open();
  const auto first = book.Take(world_.By(10, Limit(300)));
  world_.gpu.SetBehindOurBack(Limit(450));
  const auto second = book.Take(world_.By(11, Limit(250)));
  EXPECT_EQ(second->lease.previous, Limit(450));
  world_.gpu.SetBehindOurBack(Limit(500));
  ASSERT_TRUE(book.Release(second->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.limit_w(), 500);
  ASSERT_TRUE(book.Release(first->lease.id, LeaseEnd::kReleased));
  EXPECT_EQ(world_.gpu.writes(), 2);
  ExpectAllIsBack(book, 500);
}

TEST_F(BookTest, OverriddenStaysOverriddenThroughARestart) {
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
    world_.gpu.SetBehindOurBack(Limit(450));
    book.Tick();
  }
  GpuLeases book = world_.Open();
  EXPECT_EQ(Only(book).state, LeaseState::kOverridden);
  world_.machine.Kill(10);
  book.Tick();
  EXPECT_EQ(world_.gpu.writes(), 1);
  ExpectAllIsBack(book, 450);
}

TEST_F(BookTest, WhatSomebodyElseTurnedWhileNobodyLookedIsTheirsToo) {
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  }
  world_.machine.Kill(10);
  world_.gpu.SetBehindOurBack(Limit(450));
  GpuLeases book = world_.Open();
  EXPECT_THAT(world_.text(), HasSubstr("somebody else"));
  ExpectAllIsBack(book, 450);
}

TEST_F(BookTest, TheBaseIsAValueLikeOthersWhenSomebodyElseSetsIt) {
  GpuLeases book = world_.Open();
  ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  world_.gpu.SetBehindOurBack(Limit(700));
  book.Tick();
  EXPECT_EQ(Only(book).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.gpu.writes(), 1);
}

TEST_F(BookTest, AKnobThatIsFoundAtItsBaseIsTurnedAgain) {
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  }
  world_.gpu.SetBehindOurBack(Limit(700));
  GpuLeases book = world_.Open();
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
}

TEST_F(BookTest, ANewDriverGetsLivingLeasesAgain) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  const auto power = book.Take(world_.By(10, Limit(300)));
  const auto core = book.Take(world_.By(10, Lock(900)));
  world_.gpu.Reload();
  world_.machine.Pass(31s);
  const int writes = world_.gpu.writes();
  book.Tick();
  book.Tick();
  EXPECT_EQ(world_.gpu.writes(), writes + 2) << "the limit and, though nobody can read it, the clock";
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 0) << world_.text();
  ASSERT_TRUE(book.Release(core->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(book.Release(power->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 550);
}

TEST_F(BookTest, AfterANewDriverAnotherValueIsSomebodyElses) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  world_.gpu.Reload();
  world_.gpu.SetBehindOurBack(Limit(450));
  book.Tick();
  EXPECT_EQ(Only(book).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.limit_w(), 450);
}

TEST_F(BookTest, WithoutANewDriverTheDefaultIsAValueLikeOthers) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
  world_.gpu.SetBehindOurBack(Limit(700));
  book.Tick();
  EXPECT_EQ(Only(book).state, LeaseState::kOverridden);
  EXPECT_EQ(world_.limit_w(), 700);
}

TEST_F(BookTest, ABootEndsEveryLeaseAndTheBaseComesBack) {
  world_.gpu.SetBehindOurBack(Limit(550));
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(book.Take(world_.ByNobody(Limit(400))));
    ASSERT_TRUE(book.Take(world_.By(10, Lock(900))));
  }
  world_.Reboot();
  world_.machine.Start(10);  // another process, with luck of the same number and start
  const int writes = world_.gpu.writes();
  GpuLeases book = world_.Open();
  EXPECT_EQ(world_.gpu.writes(), writes + 1) << "a boot unlocks clocks";
  ExpectAllIsBack(book, 550);
}

TEST_F(BookTest, AfterABootAnotherValueIsSomebodyElses) {
  world_.gpu.SetBehindOurBack(Limit(550));
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.Reboot();
  world_.gpu.SetBehindOurBack(Limit(650));
  GpuLeases book = world_.Open();
  ExpectAllIsBack(book, 650);
}

TEST_F(BookTest, ACardThatABootDidNotResetIsRestored) {
  world_.gpu.SetBehindOurBack(Limit(550));
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.machine.Boot();
  GpuLeases book = world_.Open();
  ExpectAllIsBack(book, 550);
}

TEST_F(BookTest, ARestartLeavesLivingLeasesAlone) {
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(book.Take(world_.ByNobody(Limit(400))));
    ASSERT_TRUE(book.Take(world_.By(11, Lock(900))));
  }
  const int writes = world_.gpu.writes();
  GpuLeases book = world_.Open();
  book.Tick();
  EXPECT_THAT(book.leases(), SizeIs(3));
  EXPECT_EQ(world_.gpu.writes(), writes + 1) << "only the clock, which nobody can read";
  EXPECT_EQ(world_.limit_w(), 300);
}

TEST_F(BookTest, TheAgentsLeaveTakesTheSettingsAndItsReturnBringsThem) {
  world_.gpu.SetBehindOurBack(Limit(550));
  std::string id;
  {
    GpuLeases book = world_.Open();
    id = book.Take(world_.By(10, Limit(300)))->lease.id;
    ASSERT_TRUE(book.Take(world_.By(10, Lock(900))));
    ASSERT_TRUE(book.PutBack());
    EXPECT_EQ(world_.limit_w(), 550);
    EXPECT_EQ(world_.gpu.writes(), 4);
    book.Tick();
    EXPECT_EQ(world_.limit_w(), 550) << "nothing is turned after it";
    EXPECT_FALSE(book.Take(world_.By(11, Limit(300))));
  }
  {
    GpuLeases book = world_.Open();
    EXPECT_THAT(book.leases(), SizeIs(2));
    EXPECT_EQ(book.leases()[0].id, id);
    EXPECT_EQ(world_.limit_w(), 300);
    EXPECT_EQ(world_.gpu.writes(), 6);
    ASSERT_TRUE(book.PutBack());
  }
  world_.machine.Kill(10);
  const int writes = world_.gpu.writes();
  GpuLeases book = world_.Open();
  EXPECT_EQ(world_.gpu.writes(), writes) << "it is back already, the clock too";
  ExpectAllIsBack(book, 550);
}

TEST(LeaseTest, IsDescribedForPeopleAndScripts) {
  World world;
  GpuLeases book = world.Open();
  const auto grant = book.Take(world.By(10, Limit(300), 60));
  world.machine.Pass(20s);
  EXPECT_EQ(Describe(SummaryOf(grant->lease, world.machine.SinceBoot())).Line(),
            R"({"id":")" + grant->lease.id + R"(","gpu":")" + world.gpu.identity().uuid +
                R"(","owner":{"uid":1000,"user":"ada","pid":10,"job":"train"},)"
                R"("wanted":{"knob":"power-limit","default":false,"power_limit_w":300},)"
                R"("previous":{"knob":"power-limit","default":false,"power_limit_w":700},)"
                R"("granted":"2023-11-14T22:13:20Z","expires_in_s":40,"state":"in-force"})");
}

}  // namespace
}  // namespace heliostat::lease
