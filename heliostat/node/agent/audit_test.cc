#include "heliostat/node/agent/audit.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include "heliostat/node/agent/testing/small_workers.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Instant Noon() { return Instant(std::chrono::seconds(1'700'000'000)); }

std::vector<io::Json> Lines(const std::string& text) {
  std::vector<io::Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    auto json = io::Json::Parse(line, "audit.log");
    EXPECT_TRUE(json) << line;
    if (json) lines.push_back(*std::move(json));
  }
  return lines;
}

TEST(AuditTest, ALineThatWasPutIsInTheFile) {
  const ScratchFolder folder;
  Audit audit(folder / "audit.log", Noon);
  ASSERT_TRUE(audit.Put({1001, 77, io::Json("x\ny"), "allowed"}));
  const auto lines = Lines(folder.Read("audit.log"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].Line(),
            R"({"time":"2023-11-14T22:13:20Z","uid":1001,"pid":77,"request":"x\ny","outcome":"allowed"})");
  struct stat facts {};
  ASSERT_EQ(::stat((folder / "audit.log").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0137U, 0U) << "others may read or change it";
}

TEST(AuditTest, KeepsEveryLineOfEveryThread) {
  const ScratchFolder folder;
  {
    Audit audit(folder / "audit.log", Noon);
    std::vector<std::thread> threads;
    for (uid_t uid = 0; uid < 4; ++uid) {
      threads.emplace_back([&audit, uid] {
        for (pid_t pid = 0; pid < 100; ++pid) {
          if (pid % 2 == 0) {
            EXPECT_TRUE(audit.Put({uid, pid, {}, "put"}));
          } else {
            audit.Note({uid, pid, {}, "noted"});
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::map<std::int64_t, std::int64_t> next;
  const auto lines = Lines(folder.Read("audit.log"));
  EXPECT_EQ(lines.size(), 400U);
  for (const io::Json& line : lines) {
    // In the order in which each thread wrote them.
    EXPECT_EQ(line.Find("pid")->Integer().value(), next[line.Find("uid")->Integer().value()]++);
  }
}

TEST(AuditTest, RequestsThatChangeNothingFillNoDisk) {
  const ScratchFolder folder;
  Audit audit(folder / "audit.log", Noon);
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) {
    audit.NoteUnchanged({1001, 1, "nonsense", "refused"});
    audit.Count(1001, {1, 2, 0, 0});
  }
  audit.NoteUnchanged({1002, 1, "nonsense", "refused"});
  audit.WriteCounts();
  audit.NoteUnchanged({1001, 1, "nonsense", "refused in the next minute"});
  ASSERT_TRUE(audit.Flush());
  const auto lines = Lines(folder.Read("audit.log"));
  ASSERT_EQ(lines.size(), AuditTally::kMostLines + 3U);
  EXPECT_EQ(lines[AuditTally::kMostLines + 1].Find("request")->Line(),
            R"({"connections":10000,"reads":20000,"limited":0,"unlisted":9940})");
}

TEST(AuditTest, AppendsToWhatIsThere) {
  const ScratchFolder folder;
  folder.Write("audit.log", "{\"old\":1}\n");
  Audit audit(folder / "audit.log", Noon);
  ASSERT_TRUE(audit.Put({}));
  EXPECT_THAT(folder.Read("audit.log"), ::testing::StartsWith("{\"old\":1}\n"));
}

TEST(AuditTest, AFullDiskIsTold) {
  Audit audit("/dev/full", Noon);
  const auto put = audit.Put({});
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().Line(), HasSubstr("cannot be audited"));
  EXPECT_TRUE(audit.trouble());
}

// A log that takes no line: a pipe that nobody opens for reading.
class BlockedAuditTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0); }
  // Lets the thread that was left behind end.
  void TearDown() override {
    const int fd = ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK);
    std::array<char, 4096> room{};
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    pollfd ready{fd, POLLIN, 0};
    while (std::chrono::steady_clock::now() < deadline && ::poll(&ready, 1, 30'000) > 0 &&
           ::read(fd, room.data(), room.size()) > 0) {
    }
    ::close(fd);
  }

  const ScratchFolder folder_;
  const std::string pipe_ = folder_ / "audit.log";
};

TEST_F(BlockedAuditTest, ALineIsWaitedForUpToALimitAndOnlyOnce) {
  Audit audit(pipe_, Noon, 200ms);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    const auto put = audit.Put({});
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(put.error().Line(), HasSubstr("cannot be audited: the log has not taken a line"));
    audit.Note({});
  }
  // Not a hundred times 200 ms.
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_THAT(audit.trouble().value_or(""), HasSubstr("has not taken a line"));
}

TEST_F(BlockedAuditTest, NothingWaitsForItAtTheEnd) {
  Audit audit(pipe_, Noon, 50ms);
  audit.Note({});
  EXPECT_FALSE(audit.Flush());
  EXPECT_FALSE(audit.Close());
}

TEST(AuditTest, GoesOnWhenThereIsRoomAgain) {
  const ScratchFolder folder;
  Audit audit(folder / "later/audit.log", Noon);
  EXPECT_FALSE(audit.Put({}));
  std::filesystem::create_directories(folder / "later");
  EXPECT_TRUE(audit.Put({}));
  EXPECT_FALSE(audit.trouble());
}

TEST(AuditTest, WritesToTheNewFileOnceTheOldOneWasRotated) {
  const ScratchFolder folder;
  Audit audit(folder / "audit.log", Noon);
  ASSERT_TRUE(audit.Put({1, 0, {}, ""}));
  std::filesystem::rename(folder / "audit.log", folder / "audit.log.1");
  ASSERT_TRUE(audit.Put({2, 0, {}, ""}));
  audit.Reopen();
  ASSERT_TRUE(audit.Put({3, 0, {}, ""}));
  EXPECT_EQ(Lines(folder.Read("audit.log.1")).size(), 2U);
  EXPECT_EQ(Lines(folder.Read("audit.log")).size(), 1U);
}

}  // namespace
}  // namespace heliostat::agent
