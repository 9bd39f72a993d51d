#include "heliostat/control/cluster/slurm_cells.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SlurmCells, AbsentValuesAreAbsent) {
  for (const char* none : {"", "(null)", "N/A", "n/a", "NONE", "None"}) EXPECT_EQ(Present(none), "") << none;
  EXPECT_EQ(Present("main"), "main");
  EXPECT_THAT(ParseList("main,other"), ElementsAre("main", "other"));
  EXPECT_THAT(ParseList("(null)"), IsEmpty());
}

TEST(SlurmCells, ReadsTimes) {
  EXPECT_EQ(ParseEpoch("1795019123"), Instant(Duration(1795019123)));
  for (const char* none : {"", "0", "N/A", "NONE", "Unknown", "-1", "2026-11-18T16:00:00", "999999999999999999"}) {
    EXPECT_EQ(ParseEpoch(none), std::nullopt) << none;
  }
}

TEST(SlurmCells, ReadsTimeLimits) {
  using std::chrono::hours;
  using std::chrono::minutes;
  EXPECT_EQ(ParseLimit("10:00"), minutes(10));
  EXPECT_EQ(ParseLimit("1:02:03"), Duration(3723));
  EXPECT_EQ(ParseLimit("2-00:00:00"), hours(48));
  EXPECT_EQ(ParseLimit("2-12"), hours(60));
  EXPECT_EQ(ParseLimit("90"), minutes(90));
  for (const char* none :
       {"UNLIMITED", "INVALID", "NOT_SET", "Partition_Limit", "", "-", "1-", ":", "1:2:3:4", "a-1"}) {
    EXPECT_EQ(ParseLimit(none), std::nullopt) << none;
  }
}

RC_GTEST_PROP(SlurmCellsLaws, EveryTimeLimitIsReadAsWritten, ()) {
  const int seconds = *rc::gen::inRange(0, 400 * 86400);
  const int days = seconds / 86400;
  const std::string rest = fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  RC_ASSERT(ParseLimit(days == 0 ? rest : fmt::format("{}-{}", days, rest)) == Duration(seconds));
}

TEST(SlurmCells, ReadsConfiguredTimes) {
  EXPECT_EQ(ParseConfiguredTime("60 sec"), Duration(60));
  EXPECT_EQ(ParseConfiguredTime("5 min"), Duration(300));
  EXPECT_EQ(ParseConfiguredTime("00:05:00"), Duration(300));
  EXPECT_EQ(ParseConfiguredTime("INFINITE"), std::nullopt);
  EXPECT_EQ(ParseConfiguredTime("NONE"), std::nullopt);
}

TEST(SlurmCells, ReadsJobNumbers) {
  EXPECT_EQ(ParseJobNumber("17"), (JobNumber{17, {}, {}}));
  EXPECT_EQ(ParseJobNumber("17_3"), (JobNumber{17, 3, {}}));
  EXPECT_EQ(ParseJobNumber("17+1"), (JobNumber{17, {}, 1}));
  for (const char* none : {"", "_3", "17_", "17_[1-3]", "17_x", "17.batch", "-17"}) {
    EXPECT_EQ(ParseJobNumber(none), std::nullopt) << none;
  }
}

TEST(SlurmCells, ReadsStates) {
  EXPECT_EQ(ParseState("PENDING").state, JobState::kWaiting);
  EXPECT_EQ(ParseState("REQUEUE_HOLD").state, JobState::kHeld);
  EXPECT_EQ(ParseState("CONFIGURING").state, JobState::kStarting);
  EXPECT_EQ(ParseState("CANCELLED by 1000").end, JobEnd::kCancelled);
  EXPECT_EQ(ParseState("TIMEOUT").end, JobEnd::kTimeLimit);
  EXPECT_EQ(ParseState("DREAMING").state, JobState::kUnknown);
  EXPECT_EQ(ParseState("").state, JobState::kUnknown);
}

TEST(SlurmCells, ReadsDependencies) {
  EXPECT_THAT(ParseDependencies("afterok:17(unfulfilled),afterany:18_*(unfulfilled)"),
              ElementsAre("afterok:17", "afterany:18_*"));
  EXPECT_THAT(ParseDependencies("afterok:17(failed)?singleton(unfulfilled)"), ElementsAre("afterok:17", "singleton"));
  EXPECT_THAT(ParseDependencies("(null)"), IsEmpty());
}

// What users write may hold line ends, control characters and whole rows, but not the separator, which they do not
// know.
RC_GTEST_PROP(SlurmCellsLaws, AnyCellsAreSplitAsTheyWereJoined, ()) {
  const std::size_t columns = *rc::gen::inRange<std::size_t>(1, 5);
  const std::string separator =
      "\x1f"
      "a4c";
  const auto cell = rc::gen::container<std::string>(rc::gen::element('\x1f', '\n', 'a', '4', '1', ' '));
  const auto row = rc::gen::container<std::vector<std::string>>(columns, cell);
  const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(row);
  std::string text;
  for (const auto& cells : rows) {
    for (const std::string& each : cells) {
      RC_PRE(each.find(separator) == std::string::npos);
      text += each + separator;
    }
    text += '\n';
  }
  const auto split = SplitRows(text, separator, columns);
  RC_ASSERT(split.has_value());
  RC_ASSERT(split->size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(std::equal(rows[i].begin(), rows[i].end(), split->at(i).begin(), split->at(i).end()));
  }
}

RC_GTEST_PROP(SlurmCellsLaws, AnOutputThatBreaksOffIsRefused, ()) {
  const std::string text =
      "1\x1f"
      "zz2\x1f"
      "zz\n3\x1f"
      "zz4\x1f"
      "zz\n";
  const auto cut = *rc::gen::inRange<std::size_t>(1, text.size());
  const auto split = SplitRows(std::string_view(text).substr(0, cut), "\x1fzz", 2);
  RC_ASSERT(split.has_value() == (cut == text.size() / 2));
}

}  // namespace
}  // namespace heliostat::cluster
