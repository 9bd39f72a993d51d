#include "heliostat/ui/cli/progress_bar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace heliostat::cli {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public ::testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_{};
  std::string shown_;
  void Work(std::chrono::milliseconds each, int parts) {
    ProgressBar progress(
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

TEST_F(ProgressTest, ASharesBarStaysInsideItsEnds) {
  ProgressBar progress(
      "planning", 1, [this] { return now_; }, [this](std::string_view text) { shown_ += text; });
  progress.Show(0.1, "too early");
  now_ += 2s;
  EXPECT_EQ(shown_, "");
  for (const double share : {0.5, 7.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    progress.Show(share, "best 3");
    progress.Show(share, "too soon after the last");
    now_ += 100ms;
  }
  EXPECT_EQ(shown_, fmt::format("\rplanning [{:<30}] best 3\x1b[K\rplanning [{:#<30}] best 3\x1b[K"
                                "\rplanning [{:<30}] best 3\x1b[K\rplanning [{:<30}] best 3\x1b[K",
                                std::string(15, '#'), "", "", ""));
}

TEST_F(ProgressTest, LinesThatStayComeOnceTheWorkIsLong) {
  {
    ProgressBar progress(
        "simulating", 1, [this] { return now_; }, [this](std::string_view text) { shown_ += text; });
    progress.Say("run-now: 3 kg");
    EXPECT_EQ(shown_, "");
    now_ += 2s;
    progress.Show(0.0, "edf");
    EXPECT_EQ(shown_, fmt::format("run-now: 3 kg\n\rsimulating [{:<30}] edf\x1b[K", ""));
    shown_.clear();
    progress.Say("edf: 2 kg");
    EXPECT_EQ(shown_, "\r\x1b[Kedf: 2 kg\n") << "in place of the bar";
  }
}

TEST_F(ProgressTest, WithoutATerminalThereIsALineEveryHalfMinute) {
  {
    ProgressBar progress(
        "simulating", 1, [this] { return now_; }, [this](std::string_view text) { shown_ += text; }, false);
    progress.Say("run-now: 3 kg");
    for (int i = 0; i < 70; ++i) {
      now_ += 1s;
      progress.Show(0.1, fmt::format("second {}", i + 1));
    }
  }
  EXPECT_EQ(shown_, "run-now: 3 kg\nsimulating: second 30\nsimulating: second 60\n");
}

TEST_F(ProgressTest, TheTimeLeftFollowsFromTheTimeTaken) {
  const ProgressBar progress(
      "simulating", 1, [this] { return now_; }, [this](std::string_view text) { shown_ += text; });
  EXPECT_EQ(progress.TimeLeft(0.5), "") << "too early to tell";
  now_ += 10s;
  EXPECT_EQ(progress.TimeLeft(0.25), ", about 30 s left");
  EXPECT_EQ(progress.TimeLeft(0.04), ", about 4 min left");
  for (const double share : {0.0, 0.01, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(progress.TimeLeft(share), "");
  }
}

}  // namespace
}  // namespace heliostat::cli
