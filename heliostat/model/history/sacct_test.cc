#include "heliostat/model/history/sacct.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHeader =
    "JobID|User|JobName|Submit|Start|End|Elapsed|Timelimit|State|AllocTRES|NodeList|Reservation|Comment\n";

// A row of a job of user ann, with defaults for what a test does not change.
struct Row {
  std::string id = "7";
  std::string submit = "2024-03-04T12:00:00";
  std::string start = "2024-03-04T13:00:00";
  std::string end = "2024-03-04T14:30:00";
  std::string elapsed{};
  std::string limit = "02:00:00";
  std::string state = "COMPLETED";
  std::string tres = "billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,node=2";
  std::string nodes = "gpu[01-02]";
  std::string reservation{};
  std::string comment{};
};

std::string Text(const Row& row) {
  return fmt::format("{}|ann|train|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", row.id, row.submit, row.start, row.end,
                     row.elapsed, row.limit, row.state, row.tres, row.nodes, row.reservation, row.comment);
}

SacctDump Read(const std::string& rows, const SacctOptions& options = {}) {
  auto dump = ReadSacct(kHeader + rows, "dump.txt", options);
  EXPECT_TRUE(dump.has_value()) << dump.error().Line();
  return dump ? *std::move(dump) : SacctDump{};
}

std::string LineOf(const std::string& rows) {
  const auto dump = ReadSacct(kHeader + rows, "dump.txt", {});
  return dump ? "no error" : dump.error().Line();
}

std::string Start(const SacctDump& dump, std::size_t run = 0) { return FormatInstant(dump.runs.at(run).start); }
std::string End(const SacctDump& dump, std::size_t run = 0) { return FormatInstant(dump.runs.at(run).end.value()); }

TEST(SacctTest, ARowIsARun) {
  const SacctDump dump = Read(Text({.comment = "paper; heliostat:slack=50%;may=suspend"}));
  ASSERT_EQ(dump.runs.size(), 1U);
  const SacctRun& run = dump.runs[0];
  EXPECT_EQ(run.id, "7");
  EXPECT_EQ(run.user, "ann");
  EXPECT_EQ(run.name, "train");
  EXPECT_EQ(FormatInstant(run.submit), "2024-03-04T12:00:00Z");
  EXPECT_EQ(*run.end - run.start, 90min);
  EXPECT_EQ(run.time_limit, 2h);
  EXPECT_EQ(run.gpus, (GpuTres{4, {{"a100", 4}}}));
  EXPECT_THAT(run.hosts, ElementsAre("gpu01", "gpu02"));
  EXPECT_EQ(run.says.slack_share, 0.5);
  EXPECT_FALSE(run.is_untouchable);
  EXPECT_THAT(dump.notes, Contains(HasSubstr("times are taken as UTC")));
}

TEST(SacctTest, WhatIsNoRunOnGpusIsLeftOutAndCounted) {
  const SacctDump dump = Read(
      Text({}) + Text({.id = "7.batch"}) + Text({.id = "7.0"}) + Text({.id = "8", .tres = "billing=8,cpu=8,node=1"}) +
      Text(
          {.id = "9", .start = "Unknown", .end = "Unknown", .state = "PENDING", .tres = "", .nodes = "None assigned"}) +
      Text({.id = "10_[3-9%2]", .start = "Unknown", .end = "Unknown", .state = "PENDING", .tres = ""}) +
      Text({.id = "11", .start = "None", .end = "2024-03-04T12:30:00", .state = "CANCELLED by 1000", .tres = ""}) +
      Text({.id = "12", .start = "2024-03-04T12:30:00", .end = "2024-03-04T12:30:00", .state = "CANCELLED by 0"}));
  EXPECT_EQ(dump.runs.size(), 1U);
  EXPECT_THAT(dump.notes,
              Contains("rows left out: 2 steps of jobs, 1 jobs without GPUs, 2 that never ran, 2 that still "
                       "wait"));
}

TEST(SacctTest, JobsThatRanCountWhateverBecameOfThem) {
  std::string rows;
  int id = 1;
  for (const char* state : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 1000", "NODE_FAIL", "PREEMPTED",
                            "OUT_OF_MEMORY", "REQUEUED", "BOOT_FAIL", "DEADLINE", "MELTED"}) {
    rows += Text({.id = std::to_string(id++), .state = state});
  }
  const SacctDump dump = Read(rows);
  EXPECT_EQ(dump.runs.size(), 11U);
  EXPECT_THAT(dump.notes, Contains(HasSubstr("1 CANCELLED")));
  EXPECT_THAT(dump.notes, Contains("states that are not known, used all the same: 1 MELTED"));
}

TEST(SacctTest, RunningJobsHaveNoEnd) {
  const SacctDump dump = Read(Text({.end = "Unknown", .state = "RUNNING"}));
  EXPECT_EQ(dump.runs.at(0).end, std::nullopt);
  EXPECT_THAT(dump.notes, Contains(HasSubstr("1 job still running")));
}

TEST(SacctTest, TimeLimitsMayBeMissing) {
  for (const char* none : {"UNLIMITED", "Partition_Limit", ""}) {
    EXPECT_EQ(Read(Text({.limit = none})).runs.at(0).time_limit, std::nullopt) << none;
  }
  EXPECT_EQ(Read(Text({.limit = "2-12:00:00"})).runs.at(0).time_limit, 60h);
  EXPECT_THAT(LineOf(Text({.limit = "soon"})), HasSubstr("dump.txt:2: Timelimit is 'soon'"));
}

TEST(SacctTest, LocalTimesFollowTheirZone) {
  const SacctOptions berlin{.time_zone = *io::TimeZone::Find("Europe/Berlin")};
  const SacctDump dump =
      Read(Text({}) + Text({.id = "8", .submit = "1710000000", .start = "1710000060", .end = "1710003660"}), berlin);
  EXPECT_EQ(Start(dump), "2024-03-04T12:00:00Z");
  EXPECT_EQ(dump.runs.at(1).start.time_since_epoch(), 1710000060s);  // seconds since 1970 have no zone
  EXPECT_EQ(Read(Text({.start = "2024-03-04T13:00:00+05:00"}), berlin).runs.at(0).start, dump.runs[0].start - 4h);
}

// On 2024-10-27 the clocks of Berlin show 02:00 to 03:00 twice.
TEST(SacctTest, AnHourThatClocksShowTwiceKeepsTheOrderAndTheLength) {
  const SacctOptions berlin{.time_zone = *io::TimeZone::Find("Europe/Berlin")};
  const auto read = [&](const char* submit, const char* start, const char* end, const char* elapsed) {
    return Read(Text({.submit = submit, .start = start, .end = end, .elapsed = elapsed}), berlin);
  };
  // The end is before the start, unless it is the second time.
  const SacctDump crossing = read("2024-10-27T02:10:00", "2024-10-27T02:50:00", "2024-10-27T02:20:00", "");
  EXPECT_EQ(Start(crossing), "2024-10-27T00:50:00Z");
  EXPECT_EQ(End(crossing), "2024-10-27T01:20:00Z");
  // Both could be in either hour; the length tells which.
  const SacctDump longer = read("2024-10-27T01:10:00", "2024-10-27T02:10:00", "2024-10-27T02:20:00", "01:10:00");
  EXPECT_EQ(Start(longer), "2024-10-27T00:10:00Z");
  EXPECT_EQ(End(longer), "2024-10-27T01:20:00Z");
  const SacctDump later = read("2024-10-27T01:10:00", "2024-10-27T02:10:00", "2024-10-27T04:00:00", "01:50:00");
  EXPECT_EQ(Start(later), "2024-10-27T01:10:00Z");
  EXPECT_THAT(later.notes, Contains(HasSubstr("1 row with a time that clocks show twice")));
}

TEST(SacctTest, AnHourThatClocksSkipIsTold) {
  const SacctOptions berlin{.time_zone = *io::TimeZone::Find("Europe/Berlin")};
  const SacctDump dump = Read(
      Text({.submit = "2024-03-31T02:30:00", .start = "2024-03-31T04:30:00", .end = "2024-03-31T05:30:00"}), berlin);
  EXPECT_THAT(dump.notes, Contains(HasSubstr("1 time do not exist in Europe/Berlin")));
}

TEST(SacctTest, ADumpThatWasCutLosesItsLastRowOnly) {
  const std::string whole = Text({}) + Text({.id = "8"});
  const std::size_t first = Text({}).size();
  for (std::size_t cut = first + 1; cut + 1 < whole.size(); ++cut) {
    const SacctDump dump = Read(whole.substr(0, cut));
    EXPECT_THAT(dump.notes, Contains(::testing::AnyOf(HasSubstr("line 3, is cut"), HasSubstr("no line end")))) << cut;
    EXPECT_EQ(dump.runs.at(0).line, 2) << cut;
  }
  EXPECT_EQ(Read(whole.substr(0, whole.size() - 30)).runs.size(), 1U);
}

TEST(SacctTest, AWrongRowIsAnErrorOrSkipped) {
  const std::string good = Text({}) + Text({.id = "99"});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"7|ann|train\n", "the row has 3 cells, the header 13"},
      {Text({.comment = "a|b"}), "the row has 14 cells"},
      {Text({.start = "yesterday"}), "Start is 'yesterday'"},
      {Text({.start = "12"}), "Start is '12'"},
      {Text({.end = "2024-03-04T12:59:59"}), "End is '2024-03-04T12:59:59'; must not be before Start"},
      {Text({.tres = "gres/gpu=x"}), "gres/gpu=x"},
      {Text({.nodes = "gpu[1-"}), "has a bracket that is not closed"},
      {Text({.nodes = "a,a"}), "must name each node once"},
      {Text({.id = ""}), "JobID is ''"},
  };
  for (const auto& [bad, message] : cases) {
    EXPECT_THAT(LineOf(bad + good), HasSubstr("dump.txt:2: ")) << bad;
    EXPECT_THAT(LineOf(bad + good), HasSubstr(message)) << bad;
    const SacctDump dump = Read(bad + good, {.skips_bad_rows = true});
    EXPECT_EQ(dump.runs.size(), 2U) << bad;
    ASSERT_EQ(dump.skipped.size(), 1U) << bad;
    EXPECT_EQ(dump.skipped[0].line, 2) << bad;
  }
}

TEST(SacctTest, ACommentThatCannotBeReadCountsAsNone) {
  const SacctDump dump =
      Read(Text({.comment = "heliostat:slack=lots"}) + Text({.id = "8", .comment = "heliostat:x=1"}));
  EXPECT_TRUE(dump.runs.at(0).says.empty());
  EXPECT_THAT(dump.notes,
              Contains(HasSubstr("2 comments cannot be read and count as none; the first: line 2: slack in comment: is "
                                 "'lots'")));
}

TEST(SacctTest, HeterogeneousJobsAndReservationsAreNotTouched) {
  const SacctDump dump = Read(Text({.id = "7+0"}) + Text({.id = "8", .reservation = "class"}) + Text({.id = "9"}));
  EXPECT_TRUE(dump.runs.at(0).is_untouchable);
  EXPECT_TRUE(dump.runs.at(1).is_untouchable);
  EXPECT_FALSE(dump.runs.at(2).is_untouchable);
}

TEST(SacctTest, DumpsThatWerePutTogetherRepeatRows) {
  const SacctDump dump = Read(Text({.end = "Unknown", .state = "RUNNING"}) + kHeader + Text({}) + "\n\n");
  ASSERT_EQ(dump.runs.size(), 1U);
  EXPECT_TRUE(dump.runs[0].end.has_value());
  EXPECT_THAT(dump.notes, Contains("rows left out: 1 repeated rows, 1 repeated headers"));
}

TEST(SacctTest, RowsMayEndInABarAndInACarriageReturn) {
  const auto dump = ReadSacct(
      "JobIDRaw|Submit|Start|End|TimelimitRaw|State|AllocGRES|\r\n"
      "7|2024-03-04T12:00:00|2024-03-04T13:00:00|2024-03-04T14:00:00|90|COMPLETED|gpu:2|\r\n",
      "dump.txt", {});
  ASSERT_TRUE(dump.has_value()) << dump.error().Line();
  EXPECT_EQ(dump->runs.at(0).gpus.gpus, 2);
  EXPECT_EQ(dump->runs.at(0).time_limit, 90min);
}

TEST(SacctTest, AHeaderWithoutWhatIsNeededIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "dump.txt: is empty"},
      {"\n\n", "dump.txt: is empty"},
      {"JobID JobName State\n----- ------- -----\n", "has no column jobid in its first line"},
      {"JobID|Submit|Start|End|State|AllocTRES\n", "has no column timelimit"},
      {"JobID|Submit|Start|End|Timelimit|State|NodeList\n", "has no column alloctres, reqtres or allocgres"},
  };
  for (const auto& [text, message] : cases) {
    const auto dump = ReadSacct(text, "dump.txt", {});
    ASSERT_FALSE(dump.has_value()) << text;
    EXPECT_THAT(dump.error().Line(), HasSubstr(message));
  }
}

TEST(SacctTest, AHeaderAloneIsADumpWithoutRuns) { EXPECT_THAT(Read("").runs, IsEmpty()); }

}  // namespace
}  // namespace heliostat::history
