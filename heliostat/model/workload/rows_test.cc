#include "heliostat/model/workload/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Rows, FindsColumnsByNameWhereverTheyStand) {
  Rows rows("b,a\n1,2\n", "t.csv");
  EXPECT_EQ(rows.Find("a"), 1U);
  EXPECT_EQ(rows.Find("b"), 0U);
  EXPECT_EQ(rows.Find("A"), kNoColumn);
  EXPECT_TRUE(rows.Has(std::array<std::string_view, 2>{"a", "b"}));
  EXPECT_FALSE(rows.Has(std::array<std::string_view, 2>{"a", "c"}));
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Text(1), "2");
  EXPECT_EQ(rows.line(), 2);
  EXPECT_FALSE(rows.Next());
  EXPECT_TRUE(rows.status());
}

TEST(Rows, AColumnThatIsMissingEndsTheTableAndTheFirstIsNamed) {
  Rows rows("a,b\n1,2\n", "t.csv");
  EXPECT_EQ(rows.Need("x"), kNoColumn);
  (void)rows.Need("y");
  EXPECT_FALSE(rows.Next());
  EXPECT_EQ(rows.status().error().Line(), "t.csv: has no column 'x'; its columns are a, b");
}

TEST(Rows, TheFirstRefusalStandsWithLineColumnAndValue) {
  Rows rows("a,b\n1,2\nx,-3\n4,5\n", "t.csv");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Number(0, 10), 1);
  ASSERT_TRUE(rows.Next());
  (void)rows.Number(0, 10);
  (void)rows.Number(1, 10);
  EXPECT_FALSE(rows.Next());
  EXPECT_EQ(rows.status().error().Line(), "t.csv:3: a is 'x'; must be a number from 0 to 10");
}

TEST(Rows, NumbersKeepBothBounds) {
  for (const char* bad : {"-0.001", "10.001", "", "1e400", "nan", "ten"}) {
    const std::string text = std::string("a,b\n") + bad + ",1\n";
    Rows rows(text, "t.csv");
    ASSERT_TRUE(rows.Next());
    (void)rows.Number(0, 10);
    EXPECT_FALSE(rows.status()) << bad;
  }
  for (const char* good : {"0", "10", "1e1", "0.5"}) {
    const std::string text = std::string("a,b\n") + good + ",1\n";
    Rows rows(text, "t.csv");
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.Number(0, 10), std::stod(good));
    EXPECT_TRUE(rows.status()) << good;
  }
}

TEST(Rows, WhatMayBeMissingIsNothingAndNotZero) {
  Rows rows("a,b\n,7\n", "t.csv");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.OptionalNumber(0, 10), std::nullopt);
  EXPECT_EQ(rows.OptionalNumber(1, 10), 7);
  EXPECT_EQ(rows.OptionalNumber(kNoColumn, 10), std::nullopt);
  EXPECT_TRUE(rows.status());
}

TEST(Rows, LengthsAreRoundedToSecondsAndEndAtACentury) {
  const auto read = [](const std::string& cell, Duration unit) -> std::optional<Duration> {
    const std::string text = "a,b\n" + cell + ",1\n";  // outlives the rows
    Rows rows(text, "t.csv");
    EXPECT_TRUE(rows.Next());
    const Duration length = rows.Length(0, unit);
    return rows.status() ? std::optional(length) : std::nullopt;
  };
  EXPECT_EQ(read("1.4", 1s), 1s);
  EXPECT_EQ(read("1.5", 1s), 2s);
  EXPECT_EQ(read("1.5", 1min), 90s);
  EXPECT_EQ(read("0.25", 1h), 15min);
  EXPECT_EQ(read("878400", 1h), kCentury);
  EXPECT_EQ(read("878401", 1h), std::nullopt);
  EXPECT_EQ(read("-1", 1h), std::nullopt);
}

TEST(Rows, ClocksAreReadAsTheyStandOrByTheirOffset) {
  Rows rows("a,b\n2017-10-09 07:01:55,2017-10-09T07:01:55+02:00\nnoon,1\n", "t.csv");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Clock(0) - rows.Clock(1), 2h);
  ASSERT_TRUE(rows.Next());
  (void)rows.Clock(0);
  EXPECT_THAT(rows.status().error().Line(), StartsWith("t.csv:3: a is 'noon'; must be a time"));
}

// A bad cell in each column of each format, in the third row: the error names line 4 and the column.
struct BadCell {
  const char* header;
  const char* good;
  const char* bad;
  const char* column;
};
class BadCells : public ::testing::TestWithParam<BadCell> {};
TEST_P(BadCells, AreRefusedWithTheirLine) {
  const BadCell& one = GetParam();
  std::string text = std::string(one.header) + "\n";
  const std::string good = one.good;
  // Ids differ from row to row where there are any.
  const auto row = [](std::string cells, int i) {
    const auto at = cells.find('#');
    return at == std::string::npos ? cells : cells.replace(at, 1, std::to_string(i));
  };
  text += row(good, 1) + "\n" + row(good, 2) + "\n";
  ASSERT_TRUE(ReadTrace(text, "t.csv")) << ReadTrace(text, "t.csv").error().Line();
  text += row(one.bad, 3) + "\n" + row(good, 4) + "\n";
  const auto trace = ReadTrace(text, "t.csv");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().Line(), StartsWith(std::string("t.csv:4: ") + one.column + " is '"));
}

constexpr const char* kPhilly = "timestamp,duration,num_gpus";
constexpr const char* kChronus = "job_id,num_gpu,submit_time,model_name,duration,expect_time_list,best_effort";
constexpr const char* kPollux = "name,time,application,num_replicas";
constexpr const char* kPai = "arrival_time,length,cpus";
constexpr const char* kOurs = "id,submit_s,length_s,gpus,deadline_s,best_effort";
constexpr const char* kGoodPhilly = "2017-10-09 07:00:00,60,1";
constexpr const char* kGoodChronus = "#,1,10,bert,60,90,0";
constexpr const char* kGoodOwn = "#,10,60,1,90,0";

INSTANTIATE_TEST_SUITE_P(Formats, BadCells,
                         ::testing::Values(BadCell{kPhilly, kGoodPhilly, "2017-13-09 07:00:00,60,1", "timestamp"},
                                           BadCell{kPhilly, kGoodPhilly, "2017-10-09 07:00:00,long,1", "duration"},
                                           BadCell{kPhilly, kGoodPhilly, "2017-10-09 07:00:00,60,-1", "num_gpus"},
                                           BadCell{kPhilly, kGoodPhilly, "2017-10-09 07:00:00,60,1000001", "num_gpus"},
                                           BadCell{kChronus, kGoodChronus, "#,0.5,10,bert,60,90,0", "num_gpu"},
                                           BadCell{kChronus, kGoodChronus, "#,1,-1,bert,60,90,0", "submit_time"},
                                           BadCell{kChronus, kGoodChronus, "#,1,10,bert,,90,0", "duration"},
                                           BadCell{kChronus, kGoodChronus, "#,1,10,bert,60,soon,0", "expect_time_list"},
                                           BadCell{kChronus, kGoodChronus, "#,1,10,bert,60,90,2", "best_effort"},
                                           BadCell{kPollux, "#,10,bert,1", "#,10,bert-large,1", "application"},
                                           BadCell{kPollux, "#,10,bert,1", "#,x,bert,1", "time"},
                                           BadCell{kPollux, "#,10,bert,1", "#,10,bert,1.5", "num_replicas"},
                                           BadCell{kPai, "1,1,1", "-1,1,1", "arrival_time"},
                                           BadCell{kPai, "1,1,1", "1,1,x", "cpus"},
                                           BadCell{kOurs, kGoodOwn, "#,,60,1,90,0", "submit_s"},
                                           BadCell{kOurs, kGoodOwn, "#,10,1e99,1,90,0", "length_s"},
                                           BadCell{kOurs, kGoodOwn, "#,10,60,many,90,0", "gpus"},
                                           BadCell{kOurs, kGoodOwn, "#,10,60,1,-90,0", "deadline_s"},
                                           BadCell{kOurs, kGoodOwn, "#,10,60,1,90,yes", "best_effort"}));

TEST(ReadTrace, ARowOfTooFewCellsIsRefusedWithItsLine) {
  const auto trace = ReadTrace("arrival_time,length,cpus\n1,1,1\n1,1\n", "t.csv");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().Line(), HasSubstr("t.csv:3: "));
}

TEST(ReadTrace, AShareOfAGpuTakesAWholeOne) {
  const auto trace = ReadTrace("arrival_time,length,cpus\n0,1,0.1\n0,1,1.5\n0,1,0\n", "t.csv");
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->jobs[0].gpus, 1);
  EXPECT_EQ(trace->jobs[1].gpus, 2);
  EXPECT_EQ(trace->dropped, 1U);
  EXPECT_EQ(trace->jobs[0].id, "job-1");
}

}  // namespace
}  // namespace heliostat::workload
