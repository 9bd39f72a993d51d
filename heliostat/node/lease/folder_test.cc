#include "heliostat/node/lease/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(FolderTest, JournalsStayInTheFolderWhateverAGpuCallsItself) {
  EXPECT_EQ(JournalPath("/state", "GPU-1a-2b"), "/state/GPU-1a-2b.journal");
  EXPECT_EQ(JournalPath("/state", "../../etc/passwd"), "/state/______etc_passwd.journal");
  EXPECT_TRUE(JournalsIn("/nowhere/at/all").empty());
}

}  // namespace
}  // namespace heliostat::lease
