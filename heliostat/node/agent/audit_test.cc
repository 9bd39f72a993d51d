#include "heliostat/node/agent/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "heliostat/node/agent/testing/small_workers.h"

namespace heliostat::agent {
namespace {

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
