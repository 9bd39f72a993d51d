#include "heliostat/model/workload/trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/model/workload/testing/written_trace.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

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
  const TraceJob expected{
      .id = "0", .submit = 12198min, .length = 211min, .gpus = 4, .model = "resnet101", .deadline = 282min};
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
                      Refusal{"id,submit,length_s,gpus,deadline\na,2024-01-02,1,1,2024-01-01\n", "later than submit"}));

TEST(ReadTrace, RefusesAFileOfAnotherFormatThanAsked) {
  const auto trace = ReadTrace(kPhilly, "t.csv", TraceFormat::kPai);
  ASSERT_FALSE(trace.has_value());
  EXPECT_THAT(trace.error().Line(), HasSubstr("no column 'arrival_time'"));
}

TEST(ParseTraceFormat, KnowsEveryNameAndNoOther) {
  EXPECT_EQ(*ParseTraceFormat("auto"), TraceFormat::kAuto);
  EXPECT_EQ(*ParseTraceFormat("philly"), TraceFormat::kPhilly);
  EXPECT_EQ(*ParseTraceFormat("chronus"), TraceFormat::kChronus);
  EXPECT_EQ(*ParseTraceFormat("pollux"), TraceFormat::kPollux);
  EXPECT_EQ(*ParseTraceFormat("pai"), TraceFormat::kPai);
  EXPECT_EQ(*ParseTraceFormat("own"), TraceFormat::kOurs);
  EXPECT_THAT(ParseTraceFormat("phily").error().Line(), HasSubstr("did you mean philly"));
}

}  // namespace
}  // namespace heliostat::workload
