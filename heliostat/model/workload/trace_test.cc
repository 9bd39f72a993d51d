#include "heliostat/model/workload/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/model/workload/testing/written_trace.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPhilly =
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    "2017-10-08 06:13:03,2951.0,8,2951.0,6214e9\n"
    "2017-10-08 06:13:04,0.0,1,0.0,6214e9\n";
constexpr const char* kChronus =
    "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,"
    "best_effort,job_type\n"
    "0,vc_1,4,12198,6910,resnet101,211,8,282,10,0,strict\n"
    "1,vc_2,0,19772,8897,resnet101,31,6,88,10,0,strict\n"
    "2,vc_2,1,7199,7676,mobilenet_v2,106,24,0,10,1,best\n";

TEST(ReadTrace, OfPhillyBeginsAtMidnightAndIsSorted) {
  const auto trace = ReadTrace(kPhilly, "philly.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->dropped, 1U);
  EXPECT_EQ(trace->jobs[0].submit, Duration{6h + 13min + 3s});
  EXPECT_EQ(trace->jobs[0].gpus, 8);
  EXPECT_EQ(trace->jobs[1].submit, Duration{24h + 7h + 1min + 55s});
  EXPECT_EQ(trace->jobs[1].length, 66s);
  EXPECT_FALSE(trace->jobs[1].deadline.has_value());
  EXPECT_DOUBLE_EQ(trace->gpu_hours(), (2951.0 * 8 + 66.0) / 3600.0);
}

TEST(ReadTrace, OfChronusCountsInMinutesAndKnowsModelsAndDeadlines) {
  const auto trace = ReadTrace(kChronus, "chronus.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->dropped, 1U);
  EXPECT_TRUE(trace->jobs[0].is_best_effort);
  EXPECT_FALSE(trace->jobs[0].deadline.has_value());
  const TraceJob expected{.id = "0",
                          .submit = 12198min,
                          .length = 211min,
                          .gpus = 4,
                          .model = "resnet101",
                          .deadline = 282min,
                          .account = "vc_1"};
  EXPECT_EQ(trace->jobs[1], expected);
}

TEST(ReadTrace, OfPolluxGivesTheSameWorkOnMoreGpusLessTime) {
  const auto trace = ReadTrace(
      "name,time,application,num_replicas,batch_size\na,10,cifar10,6,2048\nb,11,cifar10,12,4096\nc,12,imagenet,12,"
      "3200\n",
      "workload-1.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  const auto gpu_seconds = [&](std::size_t i) { return trace->jobs[i].length.count() * trace->jobs[i].gpus; };
  EXPECT_NEAR(static_cast<double>(gpu_seconds(0)), static_cast<double>(gpu_seconds(1)), 12.0);
  EXPECT_GT(gpu_seconds(2), 50 * gpu_seconds(1));
  EXPECT_EQ(trace->jobs[2].model, "imagenet");
}

TEST(ReadTrace, OfPaiCountsInHours) {
  const auto trace = ReadTrace("arrival_time,length,cpus\n0.5,2.25,3\n", "pai.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->jobs[0].submit, 30min);
  EXPECT_EQ(trace->jobs[0].length, 2h + 15min);
  EXPECT_EQ(trace->jobs[0].gpus, 3);
}

TEST(ReadTrace, OfOurOwnTakesTimesWithOffsets) {
  const auto trace = ReadTrace(
      "gpus,id,submit,length_s,deadline,model\n"
      "2,late,2024-06-03T10:00:00+02:00,60,2024-06-03T09:00:00Z,bert\n"
      "1,early,2024-06-03T01:00:00Z,120,,\n",
      "jobs.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->jobs[0].submit, 1h);
  EXPECT_FALSE(trace->jobs[0].model.has_value());
  EXPECT_EQ(trace->jobs[1].submit, 8h);
  EXPECT_EQ(trace->jobs[1].deadline, 1h);
}

RC_GTEST_PROP(ReadTrace, OfOurOwnReadsWhatWasWritten, ()) {
  Trace trace{.name = "own.csv", .jobs = {}};
  const auto count = *rc::gen::inRange<std::size_t>(1, 20);
  for (std::size_t i = 0; i < count; ++i) {
    TraceJob job{.id = fmt::format("{},\"{}", *rc::gen::inRange(0, 3), i)};
    job.submit = Duration{*rc::gen::inRange(0, 1'000'000)};
    job.length = Duration{*rc::gen::inRange(1, 1'000'000)};
    job.gpus = *rc::gen::inRange(1, 1000);
    if (*rc::gen::arbitrary<bool>()) job.model = "a,b";
    if (*rc::gen::arbitrary<bool>()) job.deadline = Duration{*rc::gen::inRange(1, 1'000'000)};
    job.is_best_effort = *rc::gen::arbitrary<bool>();
    job.wait = Duration{*rc::gen::inRange(0, 1000)};
    job.user = *rc::gen::elementOf(std::vector<std::string>{"", "ada", "a\"b"});
    job.account = *rc::gen::elementOf(std::vector<std::string>{"", "vision"});
    job.name = *rc::gen::elementOf(std::vector<std::string>{"", "train,1"});
    job.state = *rc::gen::elementOf(std::vector<std::string>{"", "TIMEOUT"});
    if (*rc::gen::arbitrary<bool>()) job.time_limit = Duration{*rc::gen::inRange(1, 1000)};
    trace.jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(trace.jobs, {}, &TraceJob::submit);
  const auto back = ReadTrace(testing::Written(trace), "own.csv");
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == trace);
}

RC_GTEST_PROP(ReadTrace, DoesNotDependOnTheOrderOfRows, ()) {
  auto starts = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 100'000));
  const auto text = [&] {
    std::string rows = "arrival_time,length,cpus\n";
    for (const int start : starts) rows += fmt::format("{},1,{}\n", start, start % 7 + 1);
    return rows;
  };
  RC_PRE(!starts.empty());
  const auto given = ReadTrace(text(), "pai.csv");
  std::ranges::sort(starts);
  const auto sorted = ReadTrace(text(), "pai.csv");
  RC_ASSERT(given.has_value() && sorted.has_value());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    RC_ASSERT(given->jobs[i].submit == sorted->jobs[i].submit && given->jobs[i].gpus == sorted->jobs[i].gpus);
  }
}

TEST(BusiestDay, IsWhereMostIsAskedForWithinTheStretch) {
  Trace trace{.name = "t", .jobs = {}};
  trace.jobs.push_back({.id = "endless", .submit = 1h, .length = 10000h});
  trace.jobs.push_back({.id = "a", .submit = 73h, .length = 10h, .gpus = 8});
  trace.jobs.push_back({.id = "b", .submit = 98h, .length = 10h, .gpus = 8});
  EXPECT_EQ(BusiestDay(trace, 24h), 72h);
  EXPECT_EQ(BusiestDay(trace, 48h), 72h);
  EXPECT_EQ(BusiestDay(trace, 24h * 7), 0h);
}

struct Refusal {
  const char* text;
  const char* said;
};
class RefusedTraces : public ::testing::TestWithParam<Refusal> {};
TEST_P(RefusedTraces, AreOneLineWithPlaceAndReason) {
  const auto trace = ReadTrace(GetParam().text, "t.csv");
  ASSERT_FALSE(trace.has_value());
  EXPECT_THAT(trace.error().Line(), HasSubstr(GetParam().said));
  EXPECT_EQ(trace.error().code, ErrorCode::kInvalidArgument);
}
INSTANTIATE_TEST_SUITE_P(
    All, RefusedTraces,
    ::testing::Values(Refusal{"", "columns of a trace format"}, Refusal{"a,b\n1,2\n", "columns of a trace format"},
                      Refusal{"arrival_time,length,cpus\n", "no jobs"},
                      Refusal{"arrival_time,length,cpus\n1,1,1\n1,-2,1\n", "t.csv:3: length is '-2'"},
                      Refusal{"arrival_time,length,cpus\n1,1e12,1\n", "t.csv:2: length"},
                      Refusal{"arrival_time,length,cpus\n1,nan,1\n", "t.csv:2: length"},
                      Refusal{"timestamp,duration,num_gpus\nyesterday,1,1\n", "timestamp is 'yesterday'"},
                      Refusal{"timestamp,duration,num_gpus\n2017-10-09 07:01:55,1,1.5\n", "whole number"},
                      Refusal{"name,time,application,num_replicas\na,1,gpt9,1\n", "must be one of bert, cifar10"},
                      Refusal{"id,submit_s,length_s,gpus\na,1,1,1\na,2,1,1\n", "job 'a' occurs twice"},
                      Refusal{"timestamp,duration,num_gpus\n1800-01-01,1,1\n2020-01-01,1,1\n",
                              "more than a century away"},
                      Refusal{"id,length_s,gpus\na,1,1\n", "no column 'submit_s'"},
                      Refusal{"submit,length,gpus\n2024-01-01,1,1\n5,1,1\n", "1 of 2 submissions are dates"},
                      Refusal{"submit,start,end,gpus\n1,5,4,1\n", "t.csv:2: end is '4'; must be after the start"},
                      Refusal{"submit,length,gpus,deadline\n9,1,1,2024-01-01\n", "must be later than submit"},
                      Refusal{"submit,length,gpus\n1,1:2:3:4,1\n", "length is '1:2:3:4'"},
                      Refusal{"id,submit,length_s,gpus,deadline\na,2024-01-02,1,1,2024-01-01\n", "later than submit"}));

TEST(ReadTrace, RefusesAFileOfAnotherFormatThanAsked) {
  const auto trace = ReadTrace(kPhilly, "t.csv", TraceFormat::kPai);
  ASSERT_FALSE(trace.has_value());
  EXPECT_THAT(trace.error().Line(), HasSubstr("no column 'arrival_time'"));
}

TEST(ReadTrace, OfATableTakesColumnsByTheNamesThatTheUserGives) {
  const TraceOptions options{.columns =
                                 *ParseJobColumns("id=No,submit=When,length=Took,gpus=Cards,model=Net", "columns")};
  const auto trace = ReadTrace(
      "No,When,Took,Cards,Net,Note\n"
      "7,2024-03-04 23:30:00,1-02:03:04,4,resnet50,x\n"
      "8,2024-03-05 00:15:00,90,1,,y\n",
      "t.csv", options);
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  ASSERT_EQ(trace->jobs.size(), 2U);
  const TraceJob first{.id = "7", .submit = 23h + 30min, .length = 26h + 3min + 4s, .gpus = 4, .model = "resnet50"};
  EXPECT_EQ(trace->jobs[0], first);
  EXPECT_EQ(trace->jobs[1].submit, Duration{24h + 15min});
  EXPECT_EQ(trace->jobs[1].length, 90s);
  EXPECT_FALSE(trace->jobs[1].model.has_value());
}

TEST(ReadTrace, OfATableGuessesColumnsAndTellsWhich) {
  const auto trace = ReadTrace(
      "Job ID,Submit Time,Start Time,End Time,AllocTRES,State\n"
      "1,2024-03-04T10:00:00,2024-03-04T11:00:00,2024-03-04T12:30:00,\"cpu=8,gres/gpu=4,gres/gpu:a100=4\",COMPLETED\n"
      "2,2024-03-04T10:10:00,Unknown,Unknown,\"cpu=8\",PENDING\n"
      "3,2024-03-04T10:20:00,2024-03-04T11:00:00,2024-03-04T11:10:00,\"billing=1,gres/gpu:h100=2\",CANCELLED by 7\n"
      "4,2024-03-04T10:30:00,2024-03-04T11:00:00,2024-03-04T11:10:00,\"gres/gpu=1\",MYSTERY\n",
      "sacct.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  ASSERT_EQ(trace->jobs.size(), 3U);
  EXPECT_EQ(trace->dropped, 1U);
  EXPECT_EQ(trace->jobs[0].gpus, 4);
  EXPECT_EQ(trace->jobs[0].length, 90min);
  EXPECT_EQ(trace->jobs[1].gpus, 2);
  const std::string notes = fmt::format("{}", fmt::join(trace->notes, "\n"));
  EXPECT_THAT(notes, HasSubstr("id=Job ID,submit=Submit Time"));
  EXPECT_THAT(notes, HasSubstr("are taken as UTC"));
  EXPECT_THAT(notes, HasSubstr("states that are not known: 1 MYSTERY"));
}

TEST(ReadTrace, OfATableReadsTimesOfAZoneSecondsAndMilliseconds) {
  const auto submits = [](const std::string& a, const std::string& b, const TraceOptions& options) {
    const auto trace = ReadTrace("submit,duration_min,num_gpus\n" + a + ",2,1\n" + b + ",2,1\n", "t.csv", options);
    EXPECT_TRUE(trace.has_value()) << trace.error().Line();
    EXPECT_EQ(trace->jobs.at(0).length, 2min);
    return std::pair(trace->jobs.at(0).submit, trace->jobs.at(1).submit);
  };
  TraceOptions berlin;
  berlin.time_zone = *io::TimeZone::Find("Europe/Berlin");
  // Clocks go forward in that night: five hours by the clock are four.
  EXPECT_EQ(submits("2024-03-31 01:00:00", "2024-03-31 06:00:00", berlin), std::pair(Duration{0s}, Duration{4h}));
  EXPECT_EQ(submits("1711846800", "1711850400", {}), std::pair(Duration{1h}, Duration{2h}));
  EXPECT_EQ(submits("1711846800000", "1711850400500", {}), std::pair(Duration{1h}, Duration{2h}));
  EXPECT_EQ(submits("60", "90", {}), std::pair(Duration{60s}, Duration{90s}));
}

TEST(ReadTrace, SkipsBadRowsWhenAskedAndTellsTheirLines) {
  const char* const text = "submit,length,gpus\n1,60,1\nsoon,60,1\n3,long,1\n4,60,many\n5,60,2\n";
  EXPECT_THAT(ReadTrace(text, "t.csv").error().Line(), HasSubstr("t.csv:3: submit is 'soon'"));
  const auto trace = ReadTrace(text, "t.csv", TraceOptions{.skips_bad_rows = true});
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->jobs.size(), 2U);
  ASSERT_EQ(trace->skipped.size(), 3U);
  EXPECT_EQ(trace->skipped[1], (BadRow{4, "length is 'long'"}));
  // The other formats, too.
  const auto philly =
      ReadTrace("timestamp,duration,num_gpus\n2017-10-09,1,1\nx,1,1\n", "p.csv", TraceOptions{.skips_bad_rows = true});
  EXPECT_EQ(philly->skipped.size(), 1U);
}

TEST(ReadTrace, FindsTheDelimiterAndSkipsRowsThatAreTooShort) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "JobID|Submit|Elapsed|AllocTRES|State\n1|2024-03-04T10:00:00|01:00:00|gres/gpu=2|COMPLETED\n";
    std::ranges::replace(text, '|', delimiter);
    const auto trace = ReadTrace(text, "t.csv");
    ASSERT_TRUE(trace.has_value()) << trace.error().Line();
    EXPECT_EQ(trace->jobs.at(0).length, 1h) << delimiter;
    EXPECT_EQ(trace->jobs.at(0).gpus, 2) << delimiter;
  }
  const char* const ragged = "submit|length|gpus\n1|60|1\n2|60\n3|60|1\n";
  EXPECT_THAT(ReadTrace(ragged, "t.csv").error().Line(), HasSubstr("t.csv:3"));
  const auto trace = ReadTrace(ragged, "t.csv", TraceOptions{.skips_bad_rows = true});
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped.at(0).line, 3);
}

TEST(ReadTrace, OfATableReadsADecimalCommaAndGermanDates) {
  const auto plain = ReadTrace("submit,length,gpus\n2024-03-04 13:05:00,1.5,2\n2024-03-05 08:00:00,1234.25,1\n",
                               "t.csv", {.length_unit = 1h});
  const auto comma = ReadTrace("submit;length;gpus\r\n04.03.2024 13:05;1,5;2\r\n05.03.2024 08:00:00;1.234,25;1\r\n",
                               "t.csv", {.length_unit = 1h});
  ASSERT_TRUE(plain && comma) << (comma ? "" : comma.error().Line());
  EXPECT_EQ(comma->jobs, plain->jobs);
  EXPECT_THAT(comma->notes, Contains("numbers have a decimal comma"));
}

TEST(ReadTrace, OfATableRefusesLengthsWithTwoReadingsUntilTheUserDecides) {
  constexpr const char* kTwoReadings = "submit;length_h;gpus\n0;1.234;1\n100;2.345;1\n";
  const auto refused = ReadTrace(kTwoReadings, "t.csv");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().Line(),
            "t.csv: its numbers can be read with a decimal point or a decimal comma; set option 'job-decimal' to point "
            "or comma");
  EXPECT_EQ(ReadTrace(kTwoReadings, "t.csv", {.decimal = "comma"})->jobs.front().length, 1234h);
  EXPECT_EQ(ReadTrace(kTwoReadings, "t.csv", {.decimal = "point"})->jobs.front().length, 4442s);
}

TEST(ReadTrace, OfATableFindsTheOrderOfDayAndMonthAndTellsIt) {
  const auto gap = [](const std::string& first, const std::string& second, const std::string& order) {
    const auto trace =
        ReadTrace("submit,length_s,gpus\n" + first + ",60,1\n" + second + ",60,1\n", "t.csv", {.date_order = order});
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().Line());
    EXPECT_THAT(trace->notes, Contains(HasSubstr("dates such as 03/04/2024 are read with the ")));
    return trace->jobs.back().submit - trace->jobs.front().submit;
  };
  EXPECT_EQ(gap("03/04/2024 13:05", "03/05/2024 13:05", ""), 24h);
  EXPECT_EQ(gap("03/04/2024 13:05", "03/05/2024 13:05", "day-first"), 30 * 24h);
  EXPECT_EQ(gap("01/04/2024 13:05", "31/03/2024 13:05", ""), 24h);
  EXPECT_EQ(ReadTrace("submit,length_s,gpus\n03/04/2024,60,1\n", "t.csv", {.date_order = "x"}).error().Line(),
            "date-order option: 'x' is not known; day-first or month-first");
}

TEST(ReadTrace, OfATableReadsMillisecondsByTheNamesOfItsColumns) {
  const auto since_1970 = ReadTrace(
      "id, submit_ms, elapsed_ms, GPUs Requested\n1, 1709546400000, 3600000, 1\n2, 1709550000500, 500, 2\n", "t.csv");
  ASSERT_TRUE(since_1970) << since_1970.error().Line();
  EXPECT_EQ(since_1970->jobs[0].length, 1h);
  EXPECT_EQ(since_1970->jobs[1].submit - since_1970->jobs[0].submit, 1h);
  EXPECT_THAT(since_1970->notes, Not(Contains(HasSubstr("taken as UTC"))));
  const auto relative = ReadTrace("submit_ms,elapsed_ms,gpus\n200000000,60000,1\n", "t.csv");
  ASSERT_TRUE(relative) << relative.error().Line();
  EXPECT_EQ(relative->jobs[0].submit, 200000s);
}

TEST(ReadTrace, OfATableNamesJobsAfterTheirLinesWhereGuessedNamesRepeat) {
  const char* const text = "name,submit,length,gpus\ntrain,1,60,1\ntrain,2,60,1\n";
  const auto trace = ReadTrace(text, "t.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->jobs[1].id, "job-2");
  EXPECT_EQ(trace->jobs[1].name, "train");
  const TraceOptions named{.columns = {{JobField::kId, "name"}}};
  EXPECT_THAT(ReadTrace(text, "t.csv", named).error().Line(), HasSubstr("job 'train' occurs twice"));
}

TEST(ReadTrace, OfATableTellsWhoseJobItIsAndHowItWent) {
  const auto trace = ReadTrace(
      "JobID|User|Account|JobName|Submit|Start|Elapsed|Timelimit|AllocTRES|State\n"
      "1|ada|vision|train-7|2024-03-04T10:00:00|2024-03-04T10:05:00|01:00:00|1-00:00:00|gres/gpu=2|CANCELLED by 7\n"
      "2|bob||x|2024-03-04T10:00:00|2024-03-04T10:00:00|01:00:00|UNLIMITED|gres/gpu=2|COMPLETED\n",
      "t.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  const TraceJob first{.id = "1",
                       .submit = 10h,
                       .length = 1h,
                       .gpus = 2,
                       .wait = 5min,
                       .user = "ada",
                       .account = "vision",
                       .name = "train-7",
                       .state = "CANCELLED by 7",
                       .time_limit = 24h};
  EXPECT_EQ(trace->jobs[0], first);
  EXPECT_EQ(trace->jobs[1].account, "");
  EXPECT_FALSE(trace->jobs[1].time_limit);
  const auto raw = ReadTrace("submit,length,gpus,TimelimitRaw\n1,60,1,90\n", "t.csv");
  ASSERT_TRUE(raw.has_value()) << raw.error().Line();
  EXPECT_EQ(raw->jobs[0].time_limit, 90min);
  EXPECT_THAT(ReadTrace("submit,length,gpus,time_limit\n1,60,1,long\n", "t.csv").error().Line(),
              HasSubstr("t.csv:2: time_limit is 'long'"));
}

TEST(ParseJobColumns, RefusesWhatIsNoFieldOrNoColumn) {
  EXPECT_EQ(ParseJobColumns("id=A=B", "x")->at(JobField::kId), "A=B");
  EXPECT_THAT(ParseJobColumns("gpu=A", "x").error().Line(), HasSubstr("did you mean gpus"));
  for (const char* bad : {"", "id", "id=", "=A", "id=A,", "id=A,id=B"}) {
    EXPECT_THAT(ParseJobColumns(bad, "--job-columns").error().Line(), HasSubstr("--job-columns: ")) << bad;
  }
}

TEST(ParseTraceFormat, KnowsEveryNameAndNoOther) {
  EXPECT_EQ(*ParseTraceFormat("auto"), TraceFormat::kAuto);
  EXPECT_EQ(*ParseTraceFormat("philly"), TraceFormat::kPhilly);
  EXPECT_EQ(*ParseTraceFormat("chronus"), TraceFormat::kChronus);
  EXPECT_EQ(*ParseTraceFormat("pollux"), TraceFormat::kPollux);
  EXPECT_EQ(*ParseTraceFormat("pai"), TraceFormat::kPai);
  EXPECT_EQ(*ParseTraceFormat("own"), TraceFormat::kOurs);
  EXPECT_EQ(*ParseTraceFormat("table"), TraceFormat::kTable);
  EXPECT_THAT(ParseTraceFormat("phily").error().Line(), HasSubstr("did you mean philly"));
}

}  // namespace
}  // namespace heliostat::workload
