#include "heliostat/cli/progress.h"

#include <gtest/gtest.h>

namespace heliostat::cli {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public ::testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_{};
  std::string shown_;
  void Work(std::chrono::milliseconds each, int parts) {
    Progress progress(
        "reading", 4, [this] { return now_; }, [this](std::string_view text) { shown_ += text; });
    for (int i = 0; i < parts; ++i) {
      now_ += each;
      progress.Advance();
    }
  }
};

TEST_F(ProgressTest, ShortWorkShowsNothing) {
  Work(200ms, 4);
  EXPECT_EQ(shown_, "");
}

TEST_F(ProgressTest, LongWorkShowsABarAndTakesItAway) {
  Work(600ms, 4);
  EXPECT_EQ(shown_.find("1/4"), std::string::npos);
  EXPECT_NE(shown_.find("reading [###############               ] 2/4"), std::string::npos);
  EXPECT_TRUE(shown_.ends_with("\r\x1b[K"));
}

TEST_F(ProgressTest, NeverPassesItsEnd) {
  Work(600ms, 9);
  EXPECT_EQ(shown_.find("5/4"), std::string::npos);
}

}  // namespace
}  // namespace heliostat::cli
