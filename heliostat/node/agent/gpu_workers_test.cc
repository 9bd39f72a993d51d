#include "heliostat/node/agent/gpu_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "heliostat/node/agent/testing/small_workers.h"
#include "heliostat/node/lease/folder.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using device::Setting;
using ::testing::HasSubstr;

class GpuWorkersTest : public ::testing::Test {
 protected:
  // Asks for a limit; the answer goes where `done` points.
  Result<GpuWorkers::Ticket> SetLimit(std::size_t gpu, int watts, std::optional<Done>* done,
                                      std::optional<lease::Process> process = std::nullopt) {
    const Setting wanted = Setting::PowerLimit(Watts{static_cast<double>(watts)});
    return small_.workers->Submit(gpu, Take{{{1001, "", process, ""}, wanted, 3600s}}, {1001, 1, "set", ""},
                                  [done](Done one) {
                                    if (done != nullptr) *done = std::move(one);
                                  });
  }
  // GPU 0 hangs in a write, long enough to count as stuck.
  void HangInAWrite(std::optional<Done>* done) {
    small_.cards[0]->Hang();
    ASSERT_TRUE(SetLimit(0, 300, done));
    small_.cards[0]->AwaitHanging();
    small_.seconds += 6;
  }

  SmallWorkers small_;
};

TEST_F(GpuWorkersTest, AHangingCallHoldsUpItsOwnGpuOnly) {
  std::optional<Done> first;
  HangInAWrite(&first);
  std::optional<Done> other;
  ASSERT_TRUE(SetLimit(1, 400, &other));
  ASSERT_TRUE(small_.Await([&] { return other.has_value(); }));
  EXPECT_TRUE(other->status);
  EXPECT_EQ(small_.cards[1]->limit_w(), 400);

  EXPECT_FALSE(first);
  small_.workers->Sweep();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(first->status.error().Line(), HasSubstr("GPU 0: a driver call has been hanging for 6 s"));
  EXPECT_THAT(small_.workers->Troubles(), ::testing::ElementsAre(HasSubstr("hanging")));
  const auto refused = SetLimit(0, 350, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  small_.cards[0]->Answer();
}

TEST_F(GpuWorkersTest, WhatWasToldToFailIsGivenUpWhenItCompletes) {
  std::optional<Done> first;
  HangInAWrite(&first);
  small_.workers->Sweep();
  ASSERT_TRUE(first);
  small_.cards[0]->Answer();
  ASSERT_TRUE(small_.Await([&] { return small_.workers->HeldBy(1001) == 0; }));
  EXPECT_EQ(small_.cards[0]->limit_w(), 700);
  ASSERT_TRUE(small_.Await([&] { return !small_.workers->Stuck(0); }));
  small_.workers->Sweep();
  EXPECT_TRUE(small_.workers->Troubles().empty());
  EXPECT_TRUE(SetLimit(0, 350, nullptr));
}

TEST_F(GpuWorkersTest, WhatWaitsBehindAHangingCallIsNotDoneLater) {
  std::optional<Done> first;
  HangInAWrite(&first);
  small_.seconds -= 6;
  std::optional<Done> second;
  ASSERT_TRUE(SetLimit(0, 250, &second));
  small_.seconds += 6;
  small_.workers->Sweep();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->status);
  small_.cards[0]->Answer();
  ASSERT_TRUE(small_.Await([&] { return small_.workers->HeldBy(1001) == 0; }));
  small_.audit.Flush();
  EXPECT_THAT(small_.folder.Read("audit.log"), ::testing::Not(HasSubstr("250")));
}

TEST_F(GpuWorkersTest, AReleaseOfAHangingGpuIsDoneLater) {
  std::optional<Done> held;
  ASSERT_TRUE(SetLimit(0, 500, &held));
  ASSERT_TRUE(small_.Await([&] { return held.has_value(); }));
  std::optional<Done> first;
  HangInAWrite(&first);
  const auto release = small_.workers->Submit(0, Release{held->grant->lease.id}, {}, nullptr);
  ASSERT_FALSE(release);
  EXPECT_THAT(release.error().Line(), HasSubstr("as soon as the driver answers"));
  small_.cards[0]->Answer();
  // The set did not fail, so its lease holds until the release.
  ASSERT_TRUE(small_.Await([&] { return first.has_value() && small_.leases() == 1; }));
  EXPECT_EQ(small_.cards[0]->limit_w(), 300);
}

TEST_F(GpuWorkersTest, ALeaseWhoseClientWentAwayIsGivenUpUnlessAProcessOwnsIt) {
  small_.machine.Start(77);
  for (const bool has_process : {false, true}) {
    small_.cards[0]->Hang();
    std::optional<Done> done;
    const auto ticket = SetLimit(0, 300, &done, has_process ? std::optional(lease::Process{77, 7}) : std::nullopt);
    ASSERT_TRUE(ticket);
    small_.cards[0]->AwaitHanging();
    small_.workers->Forget(*ticket);
    small_.cards[0]->Answer();
    const std::size_t left = has_process ? 1 : 0;
    ASSERT_TRUE(small_.Await(
        [&] { return small_.leases() == left && small_.workers->HeldBy(1001) == static_cast<int>(left); }));
    EXPECT_EQ(small_.cards[0]->limit_w(), has_process ? 300 : 700);
    EXPECT_FALSE(done) << "a client that has gone was answered";
  }
}

TEST_F(GpuWorkersTest, LeasesAreCountedWhileTheyAreBeingTaken) {
  small_.cards[0]->Hang();
  ASSERT_TRUE(SetLimit(0, 300, nullptr));
  ASSERT_TRUE(SetLimit(0, 310, nullptr));
  EXPECT_EQ(small_.workers->HeldBy(1001), 2);
  EXPECT_EQ(small_.workers->HeldBy(1002), 0);
  small_.cards[0]->Answer();
}

TEST_F(GpuWorkersTest, TheQueueIsBounded) {
  small_.cards[0]->Hang();
  std::size_t taken = 0;
  while (taken < 10 * Worker::kMostQueued && SetLimit(0, 300, nullptr)) ++taken;
  EXPECT_LE(taken, Worker::kMostQueued + 1);
  small_.cards[0]->Answer();
}

TEST_F(GpuWorkersTest, ADeadOwnersLeaseEndsAtTheNextTick) {
  small_.machine.Start(77);
  std::optional<Done> done;
  ASSERT_TRUE(SetLimit(1, 300, &done, lease::Process{77, 7}));
  ASSERT_TRUE(small_.Await([&] { return done.has_value(); }));
  EXPECT_THAT(small_.workers->Owners(), ::testing::ElementsAre(lease::Process{77, 7}));
  small_.machine.Kill(77);
  small_.workers->TickAll();
  ASSERT_TRUE(small_.Await([&] { return small_.leases() == 0; }));
  EXPECT_EQ(small_.cards[1]->limit_w(), 700);
}

TEST_F(GpuWorkersTest, StoppingPutsEveryCardBack) {
  std::optional<Done> done[2];
  for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(SetLimit(i, 300, &done[i]));
  ASSERT_TRUE(small_.Await([&] { return done[0] && done[1]; }));
  EXPECT_TRUE(small_.workers->Stop(30s).empty());
  EXPECT_EQ(small_.cards[0]->limit_w(), 700);
  EXPECT_EQ(small_.cards[1]->limit_w(), 700);
}

TEST_F(GpuWorkersTest, StoppingLeavesACardThatHangsAndSaysSo) {
  std::optional<Done> other;
  ASSERT_TRUE(SetLimit(1, 400, &other));
  ASSERT_TRUE(small_.Await([&] { return other.has_value(); }));
  std::optional<Done> first;
  HangInAWrite(&first);
  // As long as the other card needs.
  const auto left = small_.workers->Stop(1s);
  EXPECT_THAT(left, ::testing::ElementsAre(HasSubstr("GPU 0: not put back")));
  EXPECT_EQ(small_.cards[1]->limit_w(), 700);
  // What the thread uses has to be there until it is gone.
  small_.workers.reset();
  small_.cards[0]->Answer();
  small_.cards[0]->AwaitGone();
}

TEST_F(GpuWorkersTest, GpusAreFoundByIndexUuidAndItsBeginning) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& uuid = small_.workers->worker(i).identity().uuid;
    EXPECT_EQ(small_.workers->Find(std::to_string(i)).value(), i);
    EXPECT_EQ(small_.workers->Find(uuid).value(), i);
    EXPECT_EQ(
        small_.workers->Find(uuid.substr(0, uuid.size() - 1)).has_value(),
        uuid.substr(0, uuid.size() - 1) != small_.workers->worker(1 - i).identity().uuid.substr(0, uuid.size() - 1));
  }
  EXPECT_EQ(small_.workers->Find("2").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(small_.workers->Find("G").error().Line(), HasSubstr("matches several GPUs"));
}

TEST_F(GpuWorkersTest, AJournalThatIsRepairedIsReadWithoutARestart) {
  const std::string journal = lease::JournalPath(small_.folder / "state", small_.workers->worker(0).identity().uuid);
  small_.workers.reset();
  std::filesystem::remove(journal);
  std::filesystem::create_directory(journal);
  std::vector<std::unique_ptr<device::Gpu>> gpus;
  for (const auto& card : small_.cards) gpus.push_back(std::make_unique<CardHandle>(card));
  small_.workers = std::make_unique<GpuWorkers>(
      std::move(gpus),
      GpuWorkers::Parts{&small_.machine, &small_.audit, small_.now(), small_.folder / "state", 1h, 5s});
  ASSERT_TRUE(small_.Await([&] { return small_.workers->IsOpen(); }));
  std::optional<Done> done[2];
  for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(SetLimit(i, 300, &done[i]));
  ASSERT_TRUE(small_.Await([&] { return done[0] && done[1]; }));
  EXPECT_FALSE(done[0]->status) << "read-only";
  EXPECT_TRUE(done[1]->status) << "the others are served";
  EXPECT_THAT(small_.workers->Troubles(), ::testing::ElementsAre(HasSubstr(journal)));
  std::filesystem::remove(journal);
  small_.workers->TickAll();
  ASSERT_TRUE(small_.Await([&] { return small_.workers->Troubles().empty(); }));
  std::optional<Done> again;
  ASSERT_TRUE(SetLimit(0, 300, &again));
  ASSERT_TRUE(small_.Await([&] { return again.has_value(); }));
  EXPECT_TRUE(again->status);
}

TEST_F(GpuWorkersTest, AGpuThatComesLaterIsServedBehindTheOthers) {
  std::optional<Done> held;
  ASSERT_TRUE(SetLimit(0, 500, &held));
  const auto late = std::make_shared<SharedCard>(5);
  std::vector<std::unique_ptr<device::Gpu>> gpus;
  gpus.push_back(std::make_unique<CardHandle>(late));
  small_.workers->Add(std::move(gpus));
  ASSERT_TRUE(small_.Await([&] { return held.has_value() && small_.workers->IsOpen(); }));
  EXPECT_EQ(small_.workers->Find("5").value(), 2U);
  std::optional<Done> done;
  ASSERT_TRUE(SetLimit(2, 300, &done));
  ASSERT_TRUE(small_.Await([&] { return done.has_value(); }));
  EXPECT_EQ(late->limit_w(), 300);
  EXPECT_EQ(small_.cards[0]->limit_w(), 500);
  small_.workers->Sweep();
}

TEST(StrayJournalTest, JournalsOfAbsentGpusAreKeptAndTold) {
  ScratchFolder folder;
  std::filesystem::create_directories(folder / "state");
  folder.Write("state/GPU-gone.journal", "");
  FixedMachine machine;
  Audit audit(folder / "audit.log", [] { return Instant(); });
  const GpuWorkers workers({}, {&machine, &audit, SteadyClockNow, folder / "state", 1s, 5s});
  EXPECT_THAT(workers.Troubles(), ::testing::ElementsAre(HasSubstr("GPU-gone.journal")));
  EXPECT_THAT(workers.Unread(), ::testing::ElementsAre("GPU-gone")) << "nobody knows its leases";
  EXPECT_TRUE(std::filesystem::exists(folder / "state/GPU-gone.journal"));
  EXPECT_TRUE(workers.IsOpen());
}

}  // namespace
}  // namespace heliostat::agent
