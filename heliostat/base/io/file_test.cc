#include "heliostat/base/io/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace heliostat::io {
namespace {

class FileTest : public ::testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heliostat_file_test_" + std::to_string(::getpid()));
  void SetUp() override { ASSERT_TRUE(MakeDirectories(folder_ / "a" / "b")); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(FileTest, WritesAndReadsBackAnyBytes) {
  const std::string path = folder_ / "x.bin";
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(WriteFileAtomically(path, bytes));
  EXPECT_EQ(*ReadFile(path), bytes);
  ASSERT_TRUE(WriteFileAtomically(path, ""));
  EXPECT_EQ(*ReadFile(path), "");
}

TEST_F(FileTest, LeavesNothingBehindWhenItCannotWrite) {
  const std::string path = folder_ / "absent" / "x.csv";
  const auto status = WriteFileAtomically(path, "1");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, path);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "absent"));
}

TEST_F(FileTest, AFailedReplaceKeepsTheOldFileAndNoLitter) {
  const std::string target = folder_ / "a";  // a non-empty folder cannot be replaced by a file
  ASSERT_FALSE(WriteFileAtomically(target, "1"));
  EXPECT_TRUE(std::filesystem::is_directory(target));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++entries;
  EXPECT_EQ(entries, 1);
}

TEST_F(FileTest, ALinkStaysALinkAndItsTargetIsReplaced) {
  ASSERT_TRUE(WriteFileAtomically(folder_ / "target", "old"));
  std::filesystem::create_symlink(folder_ / "target", folder_ / "link");
  ASSERT_TRUE(WriteFileAtomically(folder_ / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(*ReadFile(folder_ / "target"), "new");
}

TEST_F(FileTest, NothingThatIsNoFileIsReplaced) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, folder_ / "link");
  for (const std::string& path : {pipe, std::string(folder_ / "link")}) {
    const auto status = WriteFileAtomically(path, "1");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().Line(), pipe + ": is not a regular file; name another file");
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  }
}

TEST_F(FileTest, SaysWhatIsWrongWithAPath) {
  EXPECT_EQ(ReadFile(folder_ / "none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_).error().what, "is a directory");
}

TEST_F(FileTest, RefusesWhatIsNotTextAfterItsFirstBytes) {
  EXPECT_EQ(ReadTextFile("/dev/zero").error().Line(), "/dev/zero: holds a NUL byte; must be text, not binary data");
  const std::string path = folder_ / "x.csv";
  ASSERT_TRUE(WriteFileAtomically(path, std::string(200000, 'x')));
  EXPECT_EQ(ReadTextFile(path).error().Line(), path + ":1: line is too long; at most 65536 bytes per line");
  ASSERT_TRUE(WriteFileAtomically(path, "{" + std::string(200000, ' ') + "}"));
  EXPECT_EQ(ReadTextFile(path)->size(), 200002U);
}

TEST_F(FileTest, ReadsFilesThatHideTheirLength) { EXPECT_FALSE(ReadFile("/proc/self/status")->empty()); }

}  // namespace
}  // namespace heliostat::io
