#include "heliostat/node/lease/gpu_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/lease/testing/book_fixture.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::SetOutcome;
using device::Setting;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using BookFailureTest = BookTest;

TEST_F(BookFailureTest, AClampedWishIsGrantedAndTold) {
  world_.gpu.RoundLimits(50'000);
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(310)));
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->applied.outcome, SetOutcome::kClamped);
  EXPECT_EQ(grant->applied.asked, Limit(310));
  EXPECT_EQ(grant->applied.stands, Limit(300));
  const int writes = world_.gpu.writes();
  book.Tick();
  book = world_.Open();
  book.Tick();
  EXPECT_EQ(world_.gpu.writes(), writes) << "where the driver left it is where it should be";
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
  // Another wish that the driver's steps make the same: it stands low enough for both.
  const auto same = book.Take(world_.By(11, Limit(305)));
  ASSERT_TRUE(same) << same.error().Line();
  EXPECT_EQ(world_.limit_w(), 300);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
  ASSERT_TRUE(book.Release(same->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 700);
}

TEST_F(BookFailureTest, AnIgnoredWishIsNoLease) {
  world_.gpu.SetBehindOurBack(Limit(300));
  world_.gpu.RoundLimits(100'000);
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(350)));
  ASSERT_FALSE(grant);
  EXPECT_THAT(grant.error().Line(), HasSubstr("ignores 350 W"));
  ExpectAllIsBack(book, 300);
}

TEST_F(BookFailureTest, ADriverThatRefusesGrantsNothing) {
  for (const Error& error : {kLost, kDenied}) {
    for (const Setting& wanted : {Limit(300), Lock(900)}) {
      GpuLeases book = world_.Open();
      world_.gpu.FailWrites(error);
      const auto grant = book.Take(world_.By(10, wanted));
      ASSERT_FALSE(grant);
      EXPECT_EQ(grant.error().code, error.code);
      world_.gpu.FailWrites(std::nullopt);
      world_.machine.Pass(2s);
      book.Tick();
      ExpectAllIsBack(book, 700);
    }
  }
  EXPECT_LE(world_.gpu.writes(), 1) << "the clock, of which nobody knows whether it was locked";
}

TEST_F(BookFailureTest, ACardThatCannotBeReadGrantsNothing) {
  GpuLeases book = world_.Open();
  world_.gpu.FailReads(kLost);
  EXPECT_EQ(book.Take(world_.By(10, Limit(300))).error().code, ErrorCode::kUnavailable);
  world_.gpu.FailReads(std::nullopt);
  EXPECT_EQ(world_.gpu.writes(), 0);
  ExpectAllIsBack(book, 700);
}

TEST_F(BookFailureTest, WhatCannotBePutBackIsOwedAndTriedEverLessOften) {
  GpuLeases book = world_.Open();
  const auto grant = book.Take(world_.By(10, Limit(300)));
  world_.gpu.FailReads(kLost);
  world_.gpu.FailWrites(kLost);
  ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased)) << "the lease is over all the same";
  EXPECT_THAT(book.leases(), IsEmpty());
  for (int second = 0; second < 300; ++second) {
    world_.machine.Pass(1s);
    book.Tick();
  }
  ASSERT_THAT(book.owed(), SizeIs(1));
  EXPECT_EQ(book.owed()[0].setting, Limit(700));
  EXPECT_THAT(book.owed()[0].why, HasSubstr("is lost"));
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  // The debt outlives the agent.
  book = world_.Open();
  EXPECT_THAT(book.owed(), SizeIs(1));
  world_.gpu.FailWrites(kDenied);
  world_.gpu.FailReads(std::nullopt);
  world_.machine.Pass(60s);
  book.Tick();
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 2) << "another reason is news";
  world_.gpu.FailWrites(std::nullopt);
  world_.machine.Pass(60s);
  book.Tick();
  ExpectAllIsBack(book, 700);
}

TEST_F(BookFailureTest, ALeaseWaitsForALostCard) {
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
    ASSERT_TRUE(book.PutBack());
  }
  world_.gpu.FailReads(kLost);
  GpuLeases book = world_.Open();
  EXPECT_EQ(Only(book).state, LeaseState::kWaiting);
  EXPECT_THAT(book.owed(), SizeIs(1));
  world_.gpu.FailReads(std::nullopt);
  world_.machine.Pass(1s);
  book.Tick();
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
  EXPECT_EQ(world_.limit_w(), 300);
}

TEST_F(BookFailureTest, ANewLeaseOnAnOwedKnobKeepsTheOldBase) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  const auto first = book.Take(world_.By(10, Limit(300)));
  world_.gpu.FailWrites(kLost);
  ASSERT_TRUE(book.Release(first->lease.id, LeaseEnd::kReleased));
  world_.gpu.FailWrites(std::nullopt);
  const auto second = book.Take(world_.By(11, Limit(400)));
  EXPECT_EQ(second->lease.previous, Limit(550));
  EXPECT_THAT(book.owed(), IsEmpty());
  ASSERT_TRUE(book.Release(second->lease.id, LeaseEnd::kReleased));
  ExpectAllIsBack(book, 550);
}

TEST_F(BookFailureTest, OnAFullDiskNothingIsTakenAndEverythingGoesBack) {
  world_.gpu.SetBehindOurBack(Limit(550));
  GpuLeases book = world_.Open();
  const auto first = book.Take(world_.By(10, Limit(300)));
  const int writes = world_.gpu.writes();
  Result<GpuLeases::Grant> lower;
  Result<GpuLeases::Grant> other;
  Result<Lease> renewed;
  {
    const io::FullDisk full;
    lower = book.Take(world_.By(11, Limit(250)));
    other = book.Take(world_.By(11, Lock(900)));
    renewed = book.Renew(first->lease.id, 100s);
  }
  EXPECT_FALSE(lower);
  EXPECT_FALSE(other);
  EXPECT_FALSE(renewed);
  EXPECT_EQ(world_.gpu.writes(), writes) << "the card is untouched";
  EXPECT_EQ(Only(book).expires, first->lease.expires);
  {
    const io::FullDisk full;
    (void)book.Release(first->lease.id, LeaseEnd::kReleased);
    book.Tick();
    book.Tick();
  }
  EXPECT_EQ(world_.limit_w(), 550);
  EXPECT_THAT(book.leases(), IsEmpty());
  EXPECT_EQ(world_.Said(LogLevel::kWarning), 1) << world_.text();
  book.Tick();  // and there is room again
  EXPECT_THAT(world_.text(), HasSubstr("is written again"));
  ExpectAllIsBack(book, 550);
}

TEST_F(BookFailureTest, OnAFullDiskAKnobStaysLowRatherThanGoWhereTheDiskDoesNotKnow) {
  GpuLeases book = world_.Open();
  ASSERT_TRUE(book.Take(world_.By(10, Limit(400))));
  const auto low = book.Take(world_.By(11, Limit(300)));
  {
    const io::FullDisk full;
    (void)book.Release(low->lease.id, LeaseEnd::kReleased);
  }
  EXPECT_EQ(world_.limit_w(), 300);
  EXPECT_EQ(Only(book).state, LeaseState::kWaiting);
  world_.machine.Pass(1s);
  book.Tick();
  EXPECT_EQ(world_.limit_w(), 400);
  EXPECT_EQ(Only(book).state, LeaseState::kInForce);
}

TEST_F(BookFailureTest, AStartOnAFullDiskRestores) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  world_.machine.Kill(10);
  int watts = 0;
  {
    const io::FullDisk full;
    GpuLeases book = world_.Open();
    watts = world_.limit_w();
  }
  EXPECT_EQ(watts, 700);
  GpuLeases book = world_.Open();
  ExpectAllIsBack(book, 700);
}

TEST_F(BookFailureTest, TheJournalStaysShort) {
  GpuLeases book = world_.Open();
  const auto keep = book.Take(world_.By(10, Limit(300)));
  std::uintmax_t largest = 0;
  for (int i = 0; i < 400; ++i) {
    const auto grant = book.Take(world_.By(11, Limit(250)));
    ASSERT_TRUE(book.Release(grant->lease.id, LeaseEnd::kReleased));
    largest = std::max(largest, std::filesystem::file_size(world_.scratch.journal()));
  }
  EXPECT_GT(largest, 200U << 10U) << "or this test shows nothing";
  EXPECT_LT(largest, 300U << 10U);
  book = world_.Open();
  EXPECT_LT(std::filesystem::file_size(world_.scratch.journal()), 2000U);
  EXPECT_EQ(Only(book).id, keep->lease.id);
}

TEST_F(BookFailureTest, TheNumberOfLeasesIsBounded) {
  GpuLeases book = world_.Open();
  int granted = 0;
  while (granted < 5000 && book.Take(world_.ByNobody(Limit(300)))) ++granted;
  EXPECT_EQ(granted, 1000);
}

TEST_F(BookFailureTest, AJournalOfAnotherCardIsRefused) {
  { ASSERT_TRUE(world_.Open().Take(world_.By(10, Limit(300)))); }
  device_model::SimulatedGpu other(*device_model::FindCardModel("H200"), 1);
  const auto book = GpuLeases::Open(world_.scratch.journal(), other, world_.machine, {});
  ASSERT_FALSE(book);
  EXPECT_THAT(book.error().Line(), HasSubstr(world_.gpu.identity().uuid));
  EXPECT_EQ(other.writes(), 0);
}

TEST_F(BookFailureTest, ADamagedLineIsToldAndTheRestMakesGood) {
  world_.gpu.SetBehindOurBack(Limit(550));
  {
    GpuLeases book = world_.Open();
    ASSERT_TRUE(book.Take(world_.By(10, Limit(300))));
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
    GpuLeases book = world_.Open();
    EXPECT_THAT(world_.text(), HasSubstr("is damaged, left out"));
    ExpectAllIsBack(book, 550);
  }
}

TEST_F(BookFailureTest, WhatTheCardCannotIsNeverWritten) {
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
  GpuLeases book = world_.Open();
  EXPECT_GE(world_.Said(LogLevel::kWarning), 2) << world_.text();
  ExpectAllIsBack(book, 700);
}

}  // namespace
}  // namespace heliostat::lease
