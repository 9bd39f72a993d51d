#include "heliostat/model/history/record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;

constexpr Instant kZero{std::chrono::sys_days{std::chrono::year{2024} / 3 / 1}};

SacctRun Ran(std::string id, Duration start, std::optional<Duration> end, int gpus = 4) {
  return {.id = std::move(id),
          .user = "ann",
          .name = "train",
          .submit = kZero + start,
          .start = kZero + start,
          .end = end ? std::optional(kZero + *end) : std::nullopt,
          .gpus = {gpus, {{"a100", gpus}}}};
}

SacctDump Dump(std::vector<SacctRun> runs) { return {.name = "dump.txt", .runs = std::move(runs)}; }

TEST(RecordTest, RunsOfARequeuedJobAreOneJob) {
  const Record record = RecordOf(Dump({Ran("7", 0h, 1h), Ran("8", 0h, 9h), Ran("7", 2h, 5h), Ran("7", 6h, 7h)}));
  ASSERT_EQ(record.jobs.size(), 2U);
  EXPECT_EQ(record.jobs[0].runs.size(), 3U);
  EXPECT_EQ(record.jobs[0].length(), 5h);
  EXPECT_EQ(record.jobs[0].gpu_hours(), 20.0);
  EXPECT_EQ(record.tally.requeued, 1U);
}

TEST(RecordTest, ANumberOfAnotherUserOrAnOverlapIsAnotherJob) {
  SacctRun other = Ran("7", 2h, 5h);
  other.user = "bob";
  const Record record = RecordOf(Dump({Ran("7", 0h, 1h), other, Ran("7", 4h, 6h)}));
  ASSERT_EQ(record.jobs.size(), 3U);
  EXPECT_EQ(record.jobs[1].id, "7-2");
  EXPECT_EQ(record.jobs[2].id, "7-3");
  EXPECT_EQ(record.tally.reused_ids, 2U);
}

TEST(RecordTest, ARunWithOtherGpusIsAJobOfItsOwn) {
  const Record record = RecordOf(Dump({Ran("7", 0h, 1h, 4), Ran("7", 2h, 5h, 8)}));
  ASSERT_EQ(record.jobs.size(), 2U);
  EXPECT_EQ(record.tally.split, 1U);
}

TEST(RecordTest, ARunWithoutAnEndEndsWhenTheJobRunsAgain) {
  const Record record = RecordOf(Dump({Ran("7", 0h, std::nullopt), Ran("7", 2h, 5h)}));
  ASSERT_EQ(record.jobs.size(), 1U);
  EXPECT_EQ(record.jobs[0].runs[0].span.end, kZero + 2h);
  EXPECT_FALSE(record.jobs[0].is_open);
  EXPECT_EQ(record.tally.ends_guessed, 1U);
}

// The dump of a day: job 1 ran into it, job 4 runs on after it, job 5 still runs.
TEST(RecordTest, TheWindowIsWhereTheDumpIsComplete) {
  std::vector<SacctRun> runs{Ran("1", -50h, 1h + 10min)};
  for (int i = 1; i < 22; ++i) runs.push_back(Ran("2" + std::to_string(i), i * 1h, i * 1h + 30min, 64));
  runs.push_back(Ran("4", 22h, 90h));
  runs.push_back(Ran("5", 23h + 50min, std::nullopt));
  const SacctDump dump = Dump(runs);
  const Interval window = LikelyWindow(RecordOf(dump), dump);
  EXPECT_EQ(window, (Interval{kZero + 1h, kZero + 24h}));
}

TEST(RecordTest, AFewJobsAreShownWhole) {
  const SacctDump one = Dump({Ran("1", 90min, 5h)});
  EXPECT_EQ(LikelyWindow(RecordOf(one), one), (Interval{kZero + 1h, kZero + 5h}));
  const SacctDump open = Dump({Ran("1", 90min, std::nullopt)});
  EXPECT_EQ(LikelyWindow(RecordOf(open), open), (Interval{kZero + 1h, kZero + 2h}));
}

RC_GTEST_PROP(RecordTest, GpuHoursWithinAndOutsideAddUp, ()) {
  std::vector<SacctRun> runs;
  for (int i = 0; i < *rc::gen::inRange(1, 30); ++i) {
    const auto start = Duration{*rc::gen::inRange(0, 100'000)};
    runs.push_back(Ran(std::to_string(*rc::gen::inRange(0, 8)), start, start + Duration{*rc::gen::inRange(1, 50'000)},
                       *rc::gen::inRange(1, 9)));
  }
  std::ranges::sort(runs, {}, &SacctRun::start);
  double all = 0.0;
  for (const SacctRun& run : runs) all += run.gpus.gpus * Seconds(*run.end - run.start).count() / 3600.0;
  const Instant begin = kZero + Duration{*rc::gen::inRange(-10'000, 120'000)};
  const Interval window{begin, begin + Duration{*rc::gen::inRange(1, 100'000)}};
  Record record = RecordOf(Dump(runs));
  const std::size_t jobs = record.jobs.size();
  CutTo(window, record);
  double within = 0.0;
  for (const PastJob& job : record.jobs) {
    within += job.gpu_hours();
    Instant free = window.begin;
    for (const PastRun& run : job.runs) {
      RC_ASSERT(window.Contains(run.span));
      RC_ASSERT(!run.span.empty());
      RC_ASSERT(run.span.begin >= free);
      free = run.span.end;
    }
  }
  RC_ASSERT(std::abs(within + record.tally.gpu_hours_outside - all) < 1e-6);
  RC_ASSERT(record.jobs.size() + record.tally.before == jobs);
}

TEST(RecordTest, OpenJobsRunToTheEndOfTheWindow) {
  Record record = RecordOf(Dump({Ran("1", 2h, std::nullopt), Ran("2", 1h, 30h), Ran("3", 30h, std::nullopt)}));
  CutTo({kZero + 1h, kZero + 24h}, record);
  ASSERT_EQ(record.jobs.size(), 2U);
  EXPECT_EQ(record.jobs[0].id, "2");
  EXPECT_EQ(record.jobs[1].runs[0].span, (Interval{kZero + 2h, kZero + 24h}));
  EXPECT_TRUE(record.jobs[0].is_end_cut);
  EXPECT_EQ(record.tally.ended_after, 1U);
}

}  // namespace
}  // namespace heliostat::history
