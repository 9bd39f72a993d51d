#include "heliostat/model/scenario/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "heliostat/model/scenario/generate.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/model/scenario/testing/small_files.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// A temporary folder, removed with the object.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "heliostat-scenario-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

Result<Scenario> ThereAndBack(const Scenario& scenario) {
  const auto files = ToFiles(scenario);
  if (!files) return Propagate(files);
  std::map<std::string, std::string> by_name;
  for (const File& file : *files) by_name[file.name] = file.text;
  return testing::ReadFiles(by_name);
}

RC_GTEST_PROP(WriteScenarioTest, WhatIsWrittenIsReadBackEqual, ()) {
  Shape shape;
  shape.seed = *rc::gen::arbitrary<std::uint64_t>();
  shape.jobs = *rc::gen::inRange<std::size_t>(0, 20);
  shape.services = *rc::gen::inRange<std::size_t>(0, 3);
  shape.slots = *rc::gen::inRange<std::size_t>(1, 30);
  shape.step = *rc::gen::element<Duration>(5min, 15min, 1h);
  shape.groups = *rc::gen::inRange<std::size_t>(1, 4);
  shape.best_effort = 0.3;
  shape.prices = *rc::gen::arbitrary<bool>();
  shape.points_per_worker_count = 2;
  Scenario made = Generate(shape);
  // Numbers with any number of digits.
  for (CarbonIntensity& carbon : made.carbon) carbon = GramsPerKwh(InGramsPerKwh(carbon) / 3.0);
  for (Watts& power : made.renewable) power = Kilowatts(InKilowatts(power) / 7.0);
  made.renewable_carbon = GramsPerKwh(41.0 / 3.0);
  made.groups[0].wake_energy = Joules{std::exp(2.0) * 3600.0};
  made.groups[0].wake_time = 61s;
  for (Job& job : made.jobs) {
    job.samples /= 3.0;
    job.weight = *rc::gen::element(1.0, 0.1, 2.0 / 3.0, 1e6);
    job.owner = *rc::gen::element<std::string>("", "ann", "b, \"ob\"");
    if (!*rc::gen::arbitrary<bool>()) continue;
    job.recorded = Recorded{.runs = {{{job.submit + 5s, job.submit + 10s}}, {{job.submit + 1h, job.submit + 2h}}}};
    for (std::size_t g = 0; g < made.groups.size(); ++g) {
      if (!made.PointsFor(job, g).empty()) job.recorded->group = g;
    }
    if (job.min_workers == 1) job.recorded->runs[1].nodes = {{made.groups[*job.recorded->group].nodes - 1, 1}};
  }
  made.baseline = *rc::gen::element<std::string>("", "as-recorded+sleep");
  for (Service& service : made.services) service.latency_slo = Seconds{std::exp(5.0) / 1e3};
  const auto read = ThereAndBack(made);
  if (!read) RC_FAIL(read.error().Line());
  RC_ASSERT(*read == made);
}

TEST(WriteScenarioTest, NamesMayHoldWhatFilesUseAsMarks) {
  Scenario odd = *testing::ReadFiles(testing::SmallFiles());
  odd.name = "a \"week\"\n\\ of \tü";
  odd.groups[0].name = "first, \"best\"";
  odd.jobs[0].id = "job, the \"first\"";
  odd.services[0].id = "two\nlines";
  const auto read = ThereAndBack(odd);
  ASSERT_TRUE(read.has_value()) << read.error().Line();
  EXPECT_EQ(*read, odd);
}

TEST(WriteScenarioTest, FilesOnDiskAreTheScenario) {
  const Folder folder;
  const std::string inside = folder.path() + "/made/here";
  const Scenario made = Generate({.jobs = 10, .slots = 24});
  ASSERT_TRUE(WriteFiles(made, inside).has_value());
  const auto read = Read(inside + "/scenario.toml");
  ASSERT_TRUE(read.has_value()) << read.error().Line();
  EXPECT_EQ(*read, made);
}

TEST(WriteScenarioTest, NothingIsWrittenOfWhatCannotBeRead) {
  const Folder folder;
  Scenario scenario = *testing::ReadFiles(testing::SmallFiles());
  scenario.jobs[0].samples = 0.0;
  EXPECT_FALSE(WriteFiles(scenario, folder.path()).has_value());
  scenario = *testing::ReadFiles(testing::SmallFiles());
  scenario.jobs.clear();
  scenario.step = 90s;
  const auto refused = WriteFiles(scenario, folder.path());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().Line(), ::testing::HasSubstr("whole minutes"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace heliostat::scenario
