#include "heliostat/base/io/file.h"

#include <gtest/gtest.h>
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

TEST_F(FileTest, SaysWhatIsWrongWithAPath) {
  EXPECT_EQ(ReadFile(folder_ / "none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_).error().what, "is a directory");
}

TEST_F(FileTest, ReadsFilesThatHideTheirLength) { EXPECT_FALSE(ReadFile("/proc/self/status")->empty()); }

}  // namespace
}  // namespace heliostat::io
