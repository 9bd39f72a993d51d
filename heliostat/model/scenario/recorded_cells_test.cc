#include "heliostat/model/scenario/recorded_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/model/scenario/read.h"
#include "heliostat/model/scenario/testing/small_files.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// The small scenario, with these cells behind its first job: start, end, group, nodes.
Result<Scenario> WithRecord(const std::string& cells) {
  auto files = testing::SmallFiles();
  files["jobs.csv"] =
      "id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s,recorded_start,recorded_end,"
      "recorded_group,recorded_nodes\n"
      "j1,net,2023-06-05T00:10:00Z,2023-06-05T03:00:00Z,100000,1,2,1,60," +
      cells + "\nj2,rnn,2023-06-04T00:00:00Z,,5000.5,1,1,0,0,,,,\n";
  return testing::ReadFiles(files);
}

TEST(RecordedCellsTest, RunsHaveTheirTimesGroupAndNodes) {
  const auto read =
      WithRecord("2023-06-05T00:20:00Z;2023-06-05T02:00:00Z,2023-06-05T01:00:00Z;2023-06-05T02:30:00Z,a40,1:2;0:1 1:1");
  ASSERT_TRUE(read.has_value()) << read.error().Line();
  const Instant start = read->start;
  const Recorded expected{
      .group = 0, .runs = {{{start + 20min, start + 1h}, {{1, 2}}}, {{start + 2h, start + 150min}, {{0, 1}, {1, 1}}}}};
  EXPECT_EQ(read->jobs[0].recorded, expected);
  EXPECT_EQ(read->jobs[1].recorded, std::nullopt);
}

TEST(RecordedCellsTest, GroupAndNodesMayBeUnknown) {
  const auto read = WithRecord("2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,,");
  ASSERT_TRUE(read.has_value()) << read.error().Line();
  EXPECT_EQ(read->jobs[0].recorded->group, std::nullopt);
  EXPECT_TRUE(read->jobs[0].recorded->runs[0].nodes.empty());
}

TEST(RecordedCellsTest, WrongCellsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"soon,2023-06-05T01:00:00Z,,", "jobs.csv:2: recorded_start is 'soon'"},
      {"2023-06-05T00:20:00Z,,,", "recorded_end is ''"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z;2023-06-05T02:00:00Z,,", "as many times as recorded_start: 1"},
      {"2023-06-05T00:20:00Z,2023-06-05T00:20:00Z,,", "is not after recorded_start"},
      {"2023-06-05T00:05:00Z,2023-06-05T00:20:00Z,,", "is too early"},
      {"2023-06-05T00:20:00Z;2023-06-05T00:50:00Z,2023-06-05T01:00:00Z;2023-06-05T02:00:00Z,,", "is too early"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a41,", "recorded_group is 'a41'; did you mean a40"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,,0:1", "without recorded_group"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a40,gpu1", "recorded_nodes is 'gpu1'"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a40,0:1;1:1", "must be NODE:GPUS of each run"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a40,2:1", "nodes 0 to 1 once each"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a40,0:1 0:1", "once each"},
      {"2023-06-05T00:20:00Z,2023-06-05T01:00:00Z,a40,0:2 1:2", "recorded_nodes has 4 GPUs"},
  };
  for (const auto& [cells, message] : cases) {
    const auto read = WithRecord(cells);
    ASSERT_FALSE(read.has_value()) << cells;
    EXPECT_THAT(read.error().Line(), HasSubstr(message)) << cells;
  }
}

}  // namespace
}  // namespace heliostat::scenario
