#include "heliostat/node/lease/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "heliostat/base/io/testing/scratch.h"

namespace heliostat::lease {
namespace {

using ::testing::HasSubstr;

TEST(FolderTest, OneProgramAtATimeHoldsIt) {
  const io::Scratch scratch;
  {
    const auto first = Folder::Open(scratch.folder() / "state");
    ASSERT_TRUE(first);
    const auto second = Folder::Open(scratch.folder() / "state");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().Line(), HasSubstr(std::to_string(::getpid())));
  }
  EXPECT_TRUE(Folder::Open(scratch.folder() / "state"));
}

TEST(FolderTest, ANewOneIsForItsOwnerOnly) {
  const io::Scratch scratch;
  ASSERT_TRUE(Folder::Open(scratch.folder() / "state"));
  struct stat facts {};
  ASSERT_EQ(::stat((scratch.folder() / "state").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST(FolderTest, OneThatCannotBeWrittenIsLockedAllTheSame) {
  const io::Scratch scratch;
  const auto state = scratch.folder() / "state";
  for (const bool has_lock_file : {false, true}) {
    std::filesystem::create_directory(state);
    if (has_lock_file) ASSERT_TRUE(Folder::Open(state));
    const io::ReadOnlyDisk disk(state);
    const auto first = Folder::Open(state);
    ASSERT_TRUE(first) << first.error().Line();
    EXPECT_EQ(Folder::Open(state).error().code, ErrorCode::kUnavailable);
  }
}

TEST(FolderTest, OneThatOthersCouldWriteIsRefused) {
  const io::Scratch scratch;
  const std::string state = scratch.folder() / "state";
  ASSERT_TRUE(Folder::Open(state));
  const auto expect_refusal = [](const std::string& path, const std::string& why) {
    const auto folder = Folder::Open(path);
    ASSERT_FALSE(folder) << why;
    EXPECT_EQ(folder.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(folder.error().Line(), HasSubstr(why));
  };
  for (const mode_t mode : {0777U, 0770U, 0720U, 0702U, 01777U}) {
    ASSERT_EQ(::chmod(state.c_str(), mode), 0);
    expect_refusal(state, "may be written by others");
  }
  ASSERT_EQ(::chmod(state.c_str(), 0755), 0);
  EXPECT_TRUE(Folder::Open(state));
  std::filesystem::create_symlink(state, scratch.folder() / "link");
  expect_refusal(scratch.folder() / "link", "is a symbolic link");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(state.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  expect_refusal(state, "belongs to user 12345");
}

TEST(FolderTest, JournalsStayInTheFolderWhateverAGpuCallsItself) {
  EXPECT_EQ(JournalPath("/state", "GPU-1a-2b"), "/state/GPU-1a-2b.journal");
  EXPECT_EQ(JournalPath("/state", "../../etc/passwd"), "/state/______etc_passwd.journal");
  EXPECT_TRUE(JournalsIn("/nowhere/at/all").empty());
}

}  // namespace
}  // namespace heliostat::lease
