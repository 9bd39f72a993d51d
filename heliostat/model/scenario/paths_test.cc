#include "heliostat/model/scenario/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/model/scenario/testing/small_files.h"

namespace heliostat::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SmallFiles;

using Files = std::map<std::string, std::string>;

Result<WithPaths> ReadAll(const Files& files) {
  return ReadTextWithPaths(files.at("scenario.toml"), "scenario.toml",
                           [&](const std::string& path) -> Result<std::string> {
                             const auto found = files.find(path);
                             if (found != files.end()) return found->second;
                             return Fail(ErrorCode::kNotFound, path, "cannot open: no such file");
                           });
}

std::string LineOf(const Result<WithPaths>& read) { return read ? "no error" : read.error().Line(); }

void Replace(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// Two paths of each signal, as `heliostat forecast show` names them, those of carbon on half hours.
Files FilesWithPaths() {
  Files files = SmallFiles();
  Replace(files["scenario.toml"], "\"carbon_g_per_kwh\" }", "\"carbon_g_per_kwh\", scenarios = \"c.csv\" }");
  Replace(files["scenario.toml"], "\"renewable_kw\",", "\"renewable_kw\", scenarios = \"s.csv\",");
  Replace(files["scenario.toml"], "\"price_per_kwh\" }", "\"price_per_kwh\", scenarios = \"p.csv\" }");
  Replace(files["services.csv"], "max_replicas\n", "max_replicas,rate_scenarios_file\n");
  Replace(files["services.csv"], ",1,4\n", ",1,4,r.csv\n");
  files["c.csv"] = "time,scenario_1_carbon_g_per_kwh,scenario_2_carbon_g_per_kwh\n";
  for (const char* hour : {"00", "01", "02", "03"}) {
    files["c.csv"] += std::string("2023-06-05T") + hour + ":00:00Z,100,300\n";
    files["c.csv"] += std::string("2023-06-05T") + hour + ":30:00Z,200,300\n";
  }
  files["s.csv"] = "time,scenario_1_kw,scenario_2_kw\n2023-06-05T00:00:00Z,1,0\n2023-06-05T02:00:00Z,2,0.5\n";
  files["p.csv"] =
      "time,scenario_1_price_per_kwh,scenario_2_price_per_kwh\n2023-06-05T00:00:00Z,0.1,-0.1\n"
      "2023-06-05T02:00:00Z,0.2,0.3\n";
  files["r.csv"] = "time,scenario_1,scenario_2\n2023-06-05T00:00:00Z,5,6\n2023-06-05T02:00:00Z,7,8\n";
  return files;
}

TEST(PathsTest, AreReadInTheOrderOfTheirColumnsAndAveragedOverSlots) {
  const auto read = ReadAll(FilesWithPaths());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  const Paths& paths = read->paths;
  ASSERT_EQ(paths.count, 2U);
  for (const auto intensity : paths.carbon[0]) EXPECT_DOUBLE_EQ(InGramsPerKwh(intensity), 150);
  for (const auto intensity : paths.carbon[1]) EXPECT_DOUBLE_EQ(InGramsPerKwh(intensity), 300);
  EXPECT_THAT(paths.renewable[0], ElementsAre(Watts{1000}, Watts{1000}, Watts{2000}, Watts{2000}));
  EXPECT_THAT(paths.price_per_kwh[1], ElementsAre(-0.1, -0.1, 0.3, 0.3));
  EXPECT_THAT(paths.requests_per_s[0][1], ElementsAre(6, 6, 8, 8));
}

TEST(PathsTest, ChangeNothingOfTheScenarioItself) {
  const auto with = ReadAll(FilesWithPaths());
  const auto without = ReadAll(SmallFiles());
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->scenario, without->scenario);
  EXPECT_EQ(without->paths, Paths{});
}

TEST(PathsTest, AppliedReplaceTheSignalsThatHaveThem) {
  auto read = ReadAll(FilesWithPaths());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  read->paths.renewable.clear();
  Scenario there = read->scenario;
  ApplyPath(read->paths, 1, there);
  EXPECT_EQ(there.carbon, read->paths.carbon[1]);
  EXPECT_EQ(there.price_per_kwh, read->paths.price_per_kwh[1]);
  EXPECT_EQ(there.services[0].requests_per_s, read->paths.requests_per_s[0][1]);
  EXPECT_EQ(there.renewable, read->scenario.renewable);
  EXPECT_TRUE(Validate(there).has_value());
}

TEST(PathsTest, OfOneServiceLeaveOthersAlone) {
  Files files = FilesWithPaths();
  files["services.csv"] += "s2,clip,120,0.99,rate.csv,other,1,4,\n";
  const auto read = ReadAll(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  ASSERT_EQ(read->paths.requests_per_s.size(), 2U);
  EXPECT_THAT(read->paths.requests_per_s[1], IsEmpty());
}

TEST(PathsTest, WhatIsWrongIsOneLine) {
  const struct {
    const char* file;
    const char* from;
    const char* to;
    const char* line;
  } kCases[] = {
      {"r.csv", "scenario_1,scenario_2\n2023-06-05T00:00:00Z,5,6\n2023-06-05T02:00:00Z,7,8",
       "one\n2023-06-05T00:00:00Z,5\n2023-06-05T02:00:00Z,7", "r.csv: has 1 scenarios; must be 2, as in c.csv"},
      {"r.csv", ",7,8", ",7,-8", "r.csv: column 'scenario_2' is -8 at 2023-06-05T02:00:00Z; must be 0 or more"},
      {"r.csv", ",7,8", ",7,", "r.csv: column 'scenario_2' has no value at 2023-06-05T02:00:00Z"},
      {"s.csv", "2,0.5", "2,-0.5", "s.csv: column 'scenario_2_kw' is -0.5"},
      {"c.csv", "2023-06-05T03:30:00Z,200,300\n", "", "c.csv: covers 2023-06-05T00:00:00Z to 2023-06-05T03:30:00Z"},
      {"p.csv", "scenario_2_price_per_kwh", "scenario_2_kw", "p.csv: column 'scenario_2_kw' is "},
      {"scenario.toml", "scenarios = \"c.csv\"", "scenarios = 5", "scenario.toml:10: signals.carbon.scenarios is "},
      {"scenario.toml", "scenarios = \"c.csv\"", "scenario = \"c.csv\"",
       "scenario.toml:10: signals.carbon.scenario is not known; did you mean scenarios?"},
      {"scenario.toml", "\"c.csv\"", "\"absent.csv\"", "absent.csv: cannot open"}};
  for (const auto& wrong : kCases) {
    Files files = FilesWithPaths();
    Replace(files[wrong.file], wrong.from, wrong.to);
    const auto read = ReadAll(files);
    ASSERT_FALSE(read.has_value()) << wrong.line;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(LineOf(read), HasSubstr(wrong.line));
    EXPECT_THAT(LineOf(read), ::testing::Not(HasSubstr("\n")));
  }
}

TEST(PathsTest, BuiltByHandAreValidatedToo) {
  const auto read = ReadAll(FilesWithPaths());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_TRUE(ValidatePaths(read->scenario, read->paths).has_value());
  Paths short_one = read->paths;
  short_one.carbon[1].pop_back();
  EXPECT_FALSE(ValidatePaths(read->scenario, short_one).has_value());
  Paths few = read->paths;
  few.requests_per_s[0].pop_back();
  EXPECT_FALSE(ValidatePaths(read->scenario, few).has_value());
  Paths other_services = read->paths;
  other_services.requests_per_s.emplace_back();
  EXPECT_FALSE(ValidatePaths(read->scenario, other_services).has_value());
  Scenario no_prices = read->scenario;
  no_prices.price_per_kwh.clear();
  EXPECT_FALSE(ValidatePaths(no_prices, read->paths).has_value());
}

}  // namespace
}  // namespace heliostat::scenario
