#include "heliostat/node/lease/gpu_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/lease/testing/leases_fixture.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::SetOutcome;
using device::Setting;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GpuLeasesFailureTest = GpuLeasesTest;

TEST_F(GpuLeasesFailureTest, AClampedWishIsGrantedAndTold) {
  world_.gpu.RoundLimits(50'000);
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(310)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kClamped);
  EXPECT_EQ(grant->applied.asked, Limit(310));
  EXPECT_EQ(grant->applied.stands, Limit(300));
  const int writes = world_.gpu.writes();
  leases.Tick();
  leases = world_.Open();
  leases.Tick();
  EXPECT_EQ(world_.gpu.writes(), writes) << "where the driver left it is where it should be";
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
  // Another wish that the driver's steps make the same: it stands low enough for both.
  const auto same = leases.Take(world_.By(11, Limit(305)));
  ASSERT_TRUE(same) << same.error().Line();
  EXPECT_EQ(world_.limit_w(), 300);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(leases.Release(same->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesFailureTest, AnIgnoredWishIsNoLease) {
  world_.gpu.SetBehindOurBack(Limit(300));
  world_.gpu.RoundLimits(100'000);
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(350)));
  ASSERT_FALSE(grant);
  EXPECT_THAT(grant.error().Line(), HasSubstr("ignores 350 W"));
  ExpectAllIsBack(leases, 300);
}

TEST_F(GpuLeasesFailureTest, ADriverThatRefusesGrantsNothing) {
  for (const Error& error : {kLost, kDenied}) {
    for (const Setting& wanted : {Limit(300), Lock(900)}) {
      GpuLeases leases = world_.Open();
      world_.gpu.FailWrites(error);
      const auto grant = leases.Take(world_.By(10, wanted));
      ASSERT_FALSE(grant);
      EXPECT_EQ(grant.error().code, error.code);
      world_.gpu.FailWrites(std::nullopt);
      world_.machine.Pass(2s);
      leases.Tick();
      ExpectAllIsBack(leases, 700);
    }
  }
  EXPECT_LE(world_.gpu.writes(), 1) << "the clock, whose lock cannot be read";
}

TEST_F(GpuLeasesFailureTest, ACardThatCannotBeReadGrantsNothing) {
  GpuLeases leases = world_.Open();
  world_.gpu.FailReads(kLost);
  EXPECT_EQ(leases.Take(world_.By(10, Limit(300))).error().code, ErrorCode::kUnavailable);
  world_.gpu.FailReads(std::nullopt);
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesFailureTest, WhatCannotBePutBackIsOwedAndTriedEverLessOften) {
  GpuLeases leases = world_.Open();
  const auto grant = leases.Take(world_.By(10, Limit(300)));
  world_.gpu.FailReads(kLost);
  world_.gpu.FailWrites(kLost);
  ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased)) << "the lease is over all the same";
  EXPECT_THAT(leases.leases(), IsEmpty());
  for (int second = 0; second < 300; ++second) {
    world_.machine.Pass(1s);
    leases.Tick();
  }
  ASSERT_THAT(leases.owed(), SizeIs(1));
  EXPECT_EQ(leases.owed()[0].setting, Limit(700));
  EXPECT_THAT(leases.owed()[0].why, HasSubstr("is lost"));
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  // What is owed outlives the agent.
  leases = world_.Open();
  EXPECT_THAT(leases.owed(), SizeIs(1));
  world_.gpu.FailWrites(kDenied);
  world_.gpu.FailReads(std::nullopt);
  world_.machine.Pass(60s);
  leases.Tick();
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 2) << "another reason is news";
  world_.gpu.FailWrites(std::nullopt);
  world_.machine.Pass(60s);
  leases.Tick();
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesFailureTest, ALeaseWaitsForALostCard) {
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(leases.PutBack());
  }
  world_.gpu.FailReads(kLost);
  GpuLeases leases = world_.Open();
  EXPECT_EQ(Only(leases).state, LeaseState::kWaiting);
  EXPECT_THAT(leases.owed(), SizeIs(1));
  world_.gpu.FailReads(std::nullopt);
  world_.machine.Pass(1s);
  leases.Tick();
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
  EXPECT_EQ(world_.limit_w(), 300);
}

TEST_F(GpuLeasesFailureTest, ANewLeaseOnAnOwedKnobKeepsTheOldBase) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  const auto first = leases.Take(world_.By(10, Limit(300)));
  world_.gpu.FailWrites(kLost);
  ASSERT_TRUE(leases.Release(first->lease.id, LeaseEnd::kReleased));
  world_.gpu.FailWrites(std::nullopt);
  const auto second = leases.Take(world_.By(11, Limit(400)));
  EXPECT_EQ(second->lease.previous, Limit(550));
  EXPECT_THAT(leases.owed(), IsEmpty());
  ASSERT_TRUE(leases.Release(second->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesFailureTest, OnAFullDiskNothingIsTakenAndEverythingGoesBack) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases leases = world_.Open();
  const auto first = leases.Take(world_.By(10, Limit(300)));
  const int writes = world_.gpu.writes();
  Result<GpuLeases::Grant> lower;
  Result<GpuLeases::Grant> other;
  Result<Lease> renewed;
  {
    const io::FullDisk full;
    lower = leases.Take(world_.By(11, Limit(250)));
    other = leases.Take(world_.By(11, Lock(900)));
    renewed = leases.Renew(first->lease.id, 100s);
  }
  EXPECT_FALSE(lower);
  EXPECT_FALSE(other);
  EXPECT_FALSE(renewed);
  EXPECT_EQ(world_.gpu.writes(), writes) << "the card is untouched";
  EXPECT_EQ(Only(leases).expires, first->lease.expires);
  {
    const io::FullDisk full;
    (void)leases.Release(first->lease.id, LeaseEnd::kReleased);
    leases.Tick();
    leases.Tick();
  }
  EXPECT_EQ(world_.limit_w(), 550);
  EXPECT_THAT(leases.leases(), IsEmpty());
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  leases.Tick();  // and there is room again
  EXPECT_THAT(world_.text(), HasSubstr("can be written again"));
  ExpectAllIsBack(leases, 550);
}

TEST_F(GpuLeasesFailureTest, OnAFullDiskAKnobStaysLowRatherThanGoWhereTheDiskDoesNotKnow) {
  GpuLeases leases = world_.Open();
  ASSERT_TRUE(leases.Take(world_.By(10, Limit(400))));
  const auto low = leases.Take(world_.By(11, Limit(300)));
  {
    const io::FullDisk full;
    (void)leases.Release(low->lease.id, LeaseEnd::kReleased);
  }
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(Only(leases).state, LeaseState::kWaiting);
  world_.machine.Pass(1s);
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 400);
  EXPECT_EQ(Only(leases).state, LeaseState::kInForce);
}

TEST_F(GpuLeasesFailureTest, AStartOnAFullDiskRestores) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.machine.Kill(10);
  int watts = 0;
  {
    const io::FullDisk full;
    GpuLeases leases = world_.Open();
    watts = world_.limit_w();
  }
  EXPECT_EQ(watts, 700);
  GpuLeases leases = world_.Open();
  ExpectAllIsBack(leases, 700);
}

TEST_F(GpuLeasesFailureTest, OnAReadOnlyDiskNothingIsTakenAndEverythingGoesBack) {
  world_.gpu.SetBehindOurBack(Limit(550));
  std::string id;
  {
    GpuLeases leases = world_.Open();
    id = leases.Take(world_.By(10, Limit(300)))->lease.id;
    ASSERT_TRUE(leases.Take(world_.By(11, Lock(900))));
  }
  world_.machine.Kill(11);
  {
    const io::ReadOnlyDisk disk(world_.scratch.folder());
    GpuLeases leases = world_.Open();
    EXPECT_THAT(world_.text(), HasSubstr("the journal cannot be written"));
    EXPECT_THAT(leases.troubles(), SizeIs(1));
    EXPECT_EQ(Only(leases).id, id);
    EXPECT_FALSE(leases.Take(world_.By(12, Limit(250))));
    EXPECT_FALSE(leases.Take(world_.By(12, Lock(800))));
    EXPECT_FALSE(leases.Renew(id, 100s));
    EXPECT_EQ(world_.limit_w(), 300);
    ASSERT_TRUE(leases.Release(id, LeaseEnd::kReleased));
    EXPECT_EQ(world_.limit_w(), 550);
    EXPECT_THAT(leases.owed(), IsEmpty());
    EXPECT_FALSE(leases.Take(world_.By(12, Limit(250))));
    EXPECT_EQ(world_.limit_w(), 550);
  }
  world_.machine.Kill(10);
  GpuLeases leases = world_.Open();
  EXPECT_THAT(leases.troubles(), IsEmpty());
  ExpectAllIsBack(leases, 550);
  EXPECT_TRUE(leases.Take(world_.By(12, Limit(250))));
}

TEST_F(GpuLeasesFailureTest, ADiskThatCanBeWrittenAgainIsWrittenWithoutARestart) {
  std::optional<GpuLeases> leases;
  {
    const io::ReadOnlyDisk disk(world_.scratch.folder());
    leases.emplace(world_.Open());
    EXPECT_FALSE(leases->Take(world_.By(10, Limit(300))));
  }
  leases->Tick();
  EXPECT_THAT(leases->troubles(), IsEmpty());
  EXPECT_TRUE(leases->Take(world_.By(10, Limit(300))));
  leases.emplace(world_.Open());
  EXPECT_EQ(Only(*leases).wanted, Limit(300));
}

TEST_F(GpuLeasesFailureTest, TheJournalStaysShort) {
  GpuLeases leases = world_.Open();
  const auto keep = leases.Take(world_.By(10, Limit(300)));
  std::uintmax_t largest = 0;
  for (int i = 0; i < 400; ++i) {
    const auto grant = leases.Take(world_.By(11, Limit(250)));
    ASSERT_TRUE(leases.Release(grant->lease.id, LeaseEnd::kReleased));
    largest = std::max(largest, std::filesystem::file_size(world_.scratch.journal()));
  }
  EXPECT_GT(largest, 200U << 10U) << "or this test shows nothing";
  EXPECT_LT(largest, 300U << 10U);
  leases = world_.Open();
  EXPECT_LT(std::filesystem::file_size(world_.scratch.journal()), 2000U);
  EXPECT_EQ(Only(leases).id, keep->lease.id);
}

TEST_F(GpuLeasesFailureTest, TheNumberOfLeasesIsBounded) {
  GpuLeases leases = world_.Open();
  int granted = 0;
  while (granted < 5000 && leases.Take(world_.WithoutProcess(Limit(300)))) ++granted;
  EXPECT_EQ(granted, 1000);
}

TEST_F(GpuLeasesFailureTest, AJournalOfAnotherCardIsRefused) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  device_model::SimulatedGpu other(*device_model::FindCardModel("H200"), 1);
  const auto leases = GpuLeases::Open(world_.scratch.journal(), other, world_.machine, {});
  ASSERT_FALSE(leases);
  EXPECT_THAT(leases.error().Line(), HasSubstr(world_.gpu.identity().uuid));
  EXPECT_EQ(other.writes(), 0);
}

TEST_F(GpuLeasesFailureTest, ADamagedLineIsToldAndTheRestMakesGood) {
  world_.gpu.SetBehindOurBack(Limit(550));
  {
    GpuLeases leases = world_.Open();
    ASSERT_TRUE(leases.Take(world_.By(10, Limit(300))));
  }
  const std::string bytes = world_.scratch.Bytes();
  const auto lines = std::count(bytes.begin(), bytes.end(), '\n');
  ASSERT_EQ(lines, 4) << bytes;
  world_.machine.Kill(10);
  for (int damaged = 0; damaged < lines; ++damaged) {
    std::string wrong = bytes;
    std::size_t at = 0;
    for (int i = 0; i < damaged; ++i) at = wrong.find('\n', at) + 1;
    wrong[at + 20] = '#';
    world_.scratch.Write(wrong);
    world_.gpu.SetBehindOurBack(Limit(300));
    GpuLeases leases = world_.Open();
    EXPECT_THAT(world_.text(), HasSubstr("is damaged, left out"));
    ExpectAllIsBack(leases, 550);
    const auto copies = io::Journal::DamagedCopies(world_.scratch.journal());
    ASSERT_THAT(copies, SizeIs(1));
    EXPECT_EQ(leases.Take(world_.By(11, Limit(300))).error().where, copies[0]) << "another knob may be unknown";
    std::filesystem::remove(copies[0]);
  }
}

TEST_F(GpuLeasesFailureTest, AGarbageJournalIsKeptAndItsCardNotTrustedUntilSomebodyLooks) {
  world_.gpu.SetBehindOurBack(Limit(300));  // as a lease left it that nobody knows any more
  for (const std::string& garbage : {std::string("rubbish\nand more"), std::string(4096, '\0'), std::string("x")}) {
    world_.scratch.Write(garbage);
    for (int start = 0; start < 3; ++start) {
      GpuLeases leases = world_.Open();
      leases.Tick();
      const auto grant = leases.Take(world_.By(10, Limit(250)));
      ASSERT_FALSE(grant) << "start " << start;
      EXPECT_EQ(grant.error().code, ErrorCode::kUnavailable);
      EXPECT_THAT(grant.error().Line(), HasSubstr("then remove the file"));
      EXPECT_THAT(leases.troubles(), SizeIs(1));
      ASSERT_TRUE(leases.PutBack());
    }
    const auto copies = io::Journal::DamagedCopies(world_.scratch.journal());
    ASSERT_THAT(copies, SizeIs(1));
    std::ifstream in(copies[0], std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), garbage);
    EXPECT_EQ(world_.gpu.writes(), 0);
    GpuLeases leases = world_.Open();
    std::filesystem::remove(copies[0]);
    EXPECT_TRUE(leases.Take(world_.By(10, Limit(300)))) << "without a restart";
    EXPECT_THAT(leases.troubles(), IsEmpty());
    std::filesystem::remove(world_.scratch.journal());
  }
}

TEST_F(GpuLeasesFailureTest, ADamagedJournalThatCannotBeKeptIsNotOverwritten) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  const std::string damaged = "rubbish\n" + world_.scratch.Bytes();
  world_.scratch.Write(damaged);
  world_.machine.Kill(10);
  const io::ReadOnlyDisk disk(world_.scratch.folder());
  GpuLeases leases = world_.Open();
  leases.Tick();
  EXPECT_EQ(world_.limit_w(), 700);
  EXPECT_FALSE(leases.Take(world_.By(11, Limit(300))));
  EXPECT_EQ(world_.scratch.Bytes(), damaged);
}

TEST_F(GpuLeasesFailureTest, WhatTheCardCannotIsNeverWritten) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(690)))); }
  // As if for a card with another range.
  std::vector<io::Json> records;
  for (io::Json& record : io::Journal::Parse(world_.scratch.Bytes()).records) {
    for (const auto& [key, watts] : {std::pair{"base", 9000}, std::pair{"wanted", 1}}) {
      const io::Json* const setting = record.Find(key);
      if (setting != nullptr) record.Set(key, io::Json(*setting).Set("power_limit_w", watts));
    }
    records.push_back(record);
  }
  io::Journal::Found found;
  { ASSERT_TRUE(io::Journal::Open(world_.scratch.journal(), found)->Replace(records)); }
  GpuLeases leases = world_.Open();
  EXPECT_GE(world_.Said(LogLevel::kWarning), 2) << world_.text();
  ExpectAllIsBack(leases, 700);
}

}  // namespace
}  // namespace heliostat::lease
