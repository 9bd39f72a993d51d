#include "heliostat/model/scenario/read.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/model/scenario/testing/small_files.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ReadFiles;
using testing::SmallFiles;
using ::testing::StartsWith;

std::string LineOf(const Result<Scenario>& read) { return read ? "no error" : read.error().Line(); }

// Files with the first `from` in `file` replaced.
std::map<std::string, std::string> Changed(const std::string& file, const std::string& from, const std::string& to) {
  auto files = SmallFiles();
  std::string& text = files.at(file);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << file << " has no " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return files;
}

TEST(ReadScenarioTest, EveryPartComesThrough) {
  const auto read = ReadFiles(SmallFiles());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_EQ(read->name, "small");
  EXPECT_EQ(FormatInstant(read->start), "2023-06-05T00:00:00Z");
  EXPECT_EQ(read->step, 1h);
  EXPECT_EQ(read->slots, 4U);
  EXPECT_EQ(read->pue, 1.2);
  EXPECT_EQ(read->currency, Currency::Eur());
  EXPECT_EQ(read->performance, Performance::kHeadroom);
  EXPECT_EQ(read->renewable_carbon, GramsPerKwh(5));

  ASSERT_EQ(read->groups.size(), 2U);
  const Group a40{.name = "a40",
                  .gpu = "A40",
                  .nodes = 2,
                  .gpus_per_node = 4,
                  .gpu_idle = Watts{15},
                  .node_base = Watts{320.5},
                  .node_sleep = Watts{12},
                  .wake_time = 4min,
                  .wake_energy = Joules{15 * 3600.0}};
  EXPECT_EQ(read->groups[0], a40);
  EXPECT_EQ(read->groups[1].wake_time, 30s);

  const auto& points = read->training.Of("net", "A40");
  ASSERT_EQ(points.size(), 4U);  // one of them is slower with more power
  EXPECT_EQ(points[2], (TrainingPoint{{std::nullopt, 300.0}, 1, 85.0, Watts{280}}));
  EXPECT_EQ(read->training.Of("rnn", "A40")[0].knob, (GpuSetting{900.0, std::nullopt}));
  EXPECT_EQ(read->inference.Of("clip", "A40")[1],
            (InferencePoint{{600.0, std::nullopt}, 4, Seconds{30.69 / 1e3}, 130.336, Watts{63.78}}));

  ASSERT_EQ(read->jobs.size(), 2U);
  EXPECT_EQ(read->jobs[0].submit, read->start + 10min);
  EXPECT_EQ(read->jobs[0].deadline, read->start + 3h);
  EXPECT_EQ(read->jobs[0].resume, 60s);
  EXPECT_TRUE(read->jobs[0].preemptible);
  EXPECT_EQ(read->jobs[1].deadline, std::nullopt);
  EXPECT_EQ(read->jobs[1].samples, 5000.5);
  EXPECT_FALSE(read->jobs[1].preemptible);

  ASSERT_EQ(read->services.size(), 1U);
  EXPECT_EQ(read->services[0].latency_slo, Seconds{0.12});
  EXPECT_THAT(read->services[0].requests_per_s, ElementsAre(10, 20, 30, 40));
}

TEST(ReadScenarioTest, SignalsOnAnotherStepAreAveragedOverSlots) {
  const auto read = ReadFiles(SmallFiles());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(read->carbon, ElementsAre(GramsPerKwh(500), GramsPerKwh(400), GramsPerKwh(300), GramsPerKwh(350)));
  EXPECT_THAT(read->renewable, ElementsAre(Watts{500}, Watts{1750}, Watts{3000}, Watts{1500}));
  EXPECT_THAT(read->price_per_kwh, ElementsAre(0.2, 0.2, -0.01, -0.01));
}

TEST(ReadScenarioTest, UnitsOfOtherSignalsAreConverted) {
  auto files = Changed("scenario.toml", "column = \"renewable_kw\"", "column = \"sun_mw\"");
  files["solar.csv"] = "time,sun_mw\n2023-06-05T00:00:00Z,0.002\n2023-06-05T02:00:00Z,0\n";
  const auto read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(read->renewable, ElementsAre(Watts{2000}, Watts{2000}, Watts{0}, Watts{0}));
}

TEST(ReadScenarioTest, AUnitComesFromTheNameOrTheScenarioAndIsNeverGuessed) {
  const auto with = [](const std::string& column, const std::string& unit) {
    auto files = Changed("scenario.toml", "column = \"price_per_kwh\"", "column = \"" + column + "\"" + unit);
    files["price.csv"] = "time," + column + "\n";
    for (int hour = 0; hour < 8; ++hour) {
      files["price.csv"] += fmt::format("2023-06-05T0{}:00:00Z,{}\n", hour, 80 + 10 * hour);
    }
    return files;
  };
  for (const auto& files :
       {with("price_eur_per_mwh", ""), with("price_eur_mwh", ""), with("price", ", unit = \"EUR/MWh\"")}) {
    const auto read = ReadFiles(files);
    ASSERT_TRUE(read.has_value()) << LineOf(read);
    EXPECT_THAT(read->price_per_kwh, ElementsAre(0.08, 0.09, 0.1, 0.11));
  }
  EXPECT_EQ(LineOf(ReadFiles(with("price", ""))),
            "price.csv: column 'price' does not state its unit; write unit = \"EUR/MWh\" beside it in the scenario, or "
            "name it price_per_kwh");
  EXPECT_THAT(LineOf(ReadFiles(with("price_per_kwh", ""))), HasSubstr("looks like EUR/MWh; write unit = \"EUR/MWh\""));
  EXPECT_THAT(LineOf(ReadFiles(with("price_usd_per_mwh", ""))),
              HasSubstr("is in USD; must be in the scenario's currency"));
  EXPECT_THAT(LineOf(ReadFiles(with("price", ", unit = \"furlong\""))),
              StartsWith("unit: 'furlong' is not a known unit"));
}

TEST(ReadScenarioTest, PricesOfAnotherCurrencyAreRefused) {
  auto files = Changed("scenario.toml", "file = \"price.csv\", column = \"price_per_kwh\"",
                       "file = \"DE-LU_2023.csv\", column = \"price\"");
  files["DE-LU_2023.csv"] = "Datetime,Price (EUR/MWh)\n";
  for (int hour = 0; hour < 8; ++hour) files["DE-LU_2023.csv"] += fmt::format("2023-06-05 0{}:00:00,{}\n", hour, hour);
  const auto read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(read->price_per_kwh, ElementsAre(0.002, 0.003, 0.004, 0.005));  // of a clock two hours ahead of UTC

  std::string& toml = files["scenario.toml"];
  toml.replace(toml.find("\"EUR\""), 5, "\"USD\"");
  EXPECT_EQ(LineOf(ReadFiles(files)),
            "DE-LU_2023.csv: column 'price' is in EUR; must be in the scenario's currency, USD");
}

TEST(ReadScenarioTest, WhatIsOptionalMayBeLeftOut) {
  auto files = SmallFiles();
  std::string& toml = files["scenario.toml"];
  const auto drop = [&](const std::string& line) {
    ASSERT_NE(toml.find(line), std::string::npos) << line;
    toml.erase(toml.find(line), toml.find('\n', toml.find(line)) + 1 - toml.find(line));
  };
  drop("renewable =");
  drop("price =");
  drop("currency =");
  drop("performance =");
  drop("inference =");
  drop("services =");
  auto read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(read->renewable, ElementsAre(Watts{}, Watts{}, Watts{}, Watts{}));
  EXPECT_TRUE(read->price_per_kwh.empty());
  EXPECT_EQ(read->performance, Performance::kThroughput);
  EXPECT_TRUE(read->services.empty());

  files["jobs.csv"].resize(files["jobs.csv"].find('\n') + 1);
  files["training.csv"].resize(files["training.csv"].find('\n') + 1);
  read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_TRUE(read->jobs.empty());
}

TEST(ReadScenarioTest, PacedRowsOfAMeasuredProfileAreLeftOut) {
  auto files = SmallFiles();
  std::string& training = files["training.csv"];
  std::string paced;
  for (std::size_t begin = 0; begin < training.size();) {
    const std::size_t end = training.find('\n', begin);
    const std::string row = training.substr(begin, end - begin);
    paced += begin == 0 ? row + ",pace\n" : row + ",1\n" + row + ",0.5\n";
    begin = end + 1;
  }
  training = paced;
  EXPECT_EQ(*ReadFiles(files), *ReadFiles(SmallFiles()));
}

TEST(ReadScenarioTest, ColumnsStandInAnyOrderAndOthersAreIgnored) {
  auto files = SmallFiles();
  files["jobs.csv"] =
      "note,resume_s,preemptible,max_workers,min_workers,samples,deadline,submit,model,id\n"
      "ann,60,1,2,1,100000,2023-06-05T03:00:00Z,2023-06-05T00:10:00Z,net,j1\n"
      "bob,0,0,1,1,5000.5,,2023-06-04T00:00:00Z,rnn,j2\n";
  EXPECT_EQ(*ReadFiles(files), *ReadFiles(SmallFiles()));
}

TEST(ReadScenarioTest, AJobMayHaveAWeightAndAnOwner) {
  auto files = SmallFiles();
  files["jobs.csv"] =
      "id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s,owner,weight\n"
      "j1,net,2023-06-05T00:10:00Z,2023-06-05T03:00:00Z,100000,1,2,1,60,ann,2.5\n"
      "j2,rnn,2023-06-04T00:00:00Z,,5000.5,1,1,0,0,,\n";
  const auto read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_EQ(read->jobs[0].weight, 2.5);
  EXPECT_EQ(read->jobs[0].owner, "ann");
  EXPECT_EQ(read->jobs[1].weight, 1.0);
  EXPECT_EQ(read->jobs[1].owner, "");
}

TEST(ReadScenarioTest, AWeightIsANumberAbove0) {
  for (const char* const bad : {"0", "-1", "nan", "inf", "heavy"}) {
    auto files = SmallFiles();
    files["jobs.csv"] = std::string("id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s,") +
                        "weight\nj1,net,2023-06-05T00:10:00Z,2023-06-05T03:00:00Z,100000,1,2,1,60," + bad + "\n";
    const auto read = ReadFiles(files);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_THAT(LineOf(read), StartsWith("jobs.csv:2: weight is ")) << bad;
    EXPECT_FALSE(read.error().allowed.empty()) << bad;
  }
}

TEST(ReadScenarioTest, StartIsUtcHoweverItIsWritten) {
  for (const auto* start :
       {"2023-06-05T00:00:00", "2023-06-05", "\"2023-06-05T00:00Z\"", "2023-06-05T02:00:00+02:00"}) {
    const auto read = ReadFiles(Changed("scenario.toml", "2023-06-05T00:00:00Z", start));
    ASSERT_TRUE(read.has_value()) << start << ": " << LineOf(read);
    EXPECT_EQ(*read, *ReadFiles(SmallFiles())) << start;
  }
}

TEST(ReadScenarioTest, PathsAreRelativeToTheScenario) {
  std::vector<std::string> asked;
  const auto files = SmallFiles();
  const auto read = ReadText(files.at("scenario.toml"), "plans/week/scenario.toml",
                             [&](const std::string& path) -> Result<std::string> {
                               asked.push_back(path);
                               return files.at(path.substr(path.rfind('/') + 1));
                             });
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(asked, ::testing::Each(StartsWith("plans/week/")));
  const auto missing = Read("no/such/scenario.toml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(LineOf(missing), StartsWith("no/such/scenario.toml: "));
}

TEST(ReadScenarioTest, OneRateFileServesSeveralServices) {
  auto files = SmallFiles();
  files["services.csv"] += "s2,clip,120,0.95,rate.csv,other,0,1\n";
  const auto read = ReadFiles(files);
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  EXPECT_THAT(read->services[1].requests_per_s, ElementsAre(1, 1, 1, 1));
}

TEST(ReadScenarioTest, TheExampleWeekIsRead) {
  const auto path = heliostat::testing::DataFolder() / "../scenarios/example-week/scenario.toml";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << heliostat::testing::kNoData << path;
  const auto read = Read(path.string());
  ASSERT_TRUE(read.has_value()) << LineOf(read);
  std::size_t training = 0;
  for (const auto& [key, points] : read->training.all()) training += points.size();
  std::size_t inference = 0;
  for (const auto& [key, points] : read->inference.all()) inference += points.size();
  EXPECT_EQ(read->jobs.size(), 120U);
  EXPECT_EQ(training, 396U);
  EXPECT_EQ(inference, 36U);
  EXPECT_EQ(read->slots, 168U);
  EXPECT_EQ(read->carbon.front(), GramsPerKwh(555.41));
}

struct Refusal {
  const char* file;
  const char* from;
  const char* to;
  const char* line;  // how the error begins
};

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, IsOneLineWithPlaceAndWhatIsAllowed) {
  const Refusal& refusal = GetParam();
  const auto read = ReadFiles(Changed(refusal.file, refusal.from, refusal.to));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(LineOf(read), StartsWith(refusal.line));
  EXPECT_THAT(LineOf(read), ::testing::Not(HasSubstr("\n")));
  EXPECT_FALSE(read.error().allowed.empty()) << LineOf(read);
}

constexpr auto kScenario = "scenario.toml";
INSTANTIATE_TEST_SUITE_P(
    Document, RefusalTest,
    ::testing::Values(
        Refusal{kScenario, "name = \"small\"", "name = ", "scenario.toml:1: "},
        Refusal{kScenario, "name = \"small\"\n", "", "scenario.toml:1: name is missing"},
        Refusal{kScenario, "slots = 4\n", "", "scenario.toml:1: slots is missing"},
        Refusal{kScenario, "slots = 4", "slots = 0", "scenario.toml:4: slots is 0; must be from 1"},
        Refusal{kScenario, "slots = 4", "slots = -4", "scenario.toml:4: slots is -4"},
        Refusal{kScenario, "slots = 4", "slots = 4.5", "scenario.toml:4: slots is 4.5; must be a whole"},
        Refusal{kScenario, "slots = 4", "slot = 4", "scenario.toml:4: slot is not known; did you mean slots?"},
        Refusal{kScenario, "step_minutes = 60", "step_minutes = 0", "scenario.toml:3: step_minutes is 0"},
        Refusal{kScenario, "step_minutes = 60", "step_minutes = 7", "scenario.toml:3: step_minutes is 7"},
        Refusal{kScenario, "step_minutes = 60", "step_minutes = 2880", "scenario.toml:3: step_minutes is 2880"},
        Refusal{kScenario, "step_minutes = 60", "step_minutes = 60.0", "scenario.toml:3: step_minutes is 60"},
        Refusal{kScenario, "pue = 1.2", "pue = 0.9", "scenario.toml:5: pue is 0.9; must be 1 or more"},
        Refusal{kScenario, "pue = 1.2", "pue = nan", "scenario.toml:5: pue is nan"},
        Refusal{kScenario, "pue = 1.2", "pue = \"1.2\"", "scenario.toml:5: pue is text; must be a number"},
        Refusal{kScenario, "\"EUR\"", "\"euro\"", "scenario.toml:6: currency is 'euro'; must be an ISO"},
        Refusal{kScenario, "currency = \"EUR\"\n", "", "scenario.toml:1: currency is missing"},
        Refusal{kScenario, "\"headroom\"", "\"speed\"", "scenario.toml:7: performance is 'speed'; must be throughput"},
        Refusal{kScenario, "start = 2023-06-05T00:00:00Z", "start = 5", "scenario.toml:2: start is a whole number"},
        Refusal{kScenario, "start = 2023-06-05T00:00:00Z", "start = \"soon\"", "scenario.toml:2: 'soon'"},
        Refusal{kScenario, "start = 2023-06-05", "start = 1023-06-05",
                "scenario.toml:2: start and the horizon are out of range"}));
INSTANTIATE_TEST_SUITE_P(
    Groups, RefusalTest,
    ::testing::Values(
        Refusal{kScenario, "nodes = 2", "nodes = 0", "scenario.toml:17: groups[0].nodes is 0; must be 1 or more"},
        Refusal{kScenario, "gpus_per_node = 4", "gpus_per_node = 0", "scenario.toml:18: groups[0].gpus_per_node is 0"},
        Refusal{kScenario, "nodes = 2", "nodes = 99999999999", "scenario.toml:17: groups[0].nodes is 99999999999"},
        Refusal{kScenario, "gpu_idle_w = 15", "gpu_idle_w = -1", "scenario.toml:19: groups[0].gpu_idle_w is -1"},
        Refusal{kScenario, "node_base_w = 320.5", "node_base_w = -1", "scenario.toml:20: groups[0].node_base_w is -1"},
        Refusal{kScenario, "node_sleep_w = 12", "node_sleep_w = -1", "scenario.toml:21: groups[0].node_sleep_w is -1"},
        Refusal{kScenario, "wake_minutes = 4", "wake_minutes = -4", "scenario.toml:22: groups[0].wake_minutes is -4"},
        Refusal{kScenario, "wake_wh = 15", "wake_wh = -1", "scenario.toml:23: groups[0].wake_wh is -1"},
        Refusal{kScenario, "wake_wh = 15\n", "", "scenario.toml:14: groups[0].wake_wh is missing"},
        Refusal{kScenario, "wake_wh", "wake_w",
                "scenario.toml:23: groups[0].wake_w is not known; did you mean wake_wh?"},
        Refusal{kScenario, "\"v100\"", "\"a40\"", "scenario.toml:26: groups[1].name is 'a40', as that of an earlier"},
        Refusal{kScenario, "\"A40\"", "\"A4O\"",
                "scenario.toml:16: groups[0].gpu 'A4O' is in no profile; did you mean A40?"},
        Refusal{kScenario, "gpu = \"V100\"", "gpu = \"\"", "scenario.toml:27: groups[1].gpu is empty"},
        Refusal{kScenario, "[[groups]]\nname = \"a40\"", "[groups]\nname = \"a40\"", "scenario.toml:"}));
INSTANTIATE_TEST_SUITE_P(
    Signals, RefusalTest,
    ::testing::Values(
        Refusal{kScenario, "\"carbon.csv\"", "\"carbno.csv\"", "carbno.csv: cannot open"},
        Refusal{kScenario, "\"carbon_g_per_kwh\"", "\"carbon\"", "carbon.csv: has no column 'carbon'; one of carbon_g"},
        Refusal{kScenario, "carbon = {", "carbn = {",
                "scenario.toml:10: signals.carbn is not known; did you mean carbon?"},
        Refusal{kScenario, "{ file = \"carbon.csv\",", "{", "scenario.toml:10: signals.carbon.file is missing"},
        Refusal{kScenario, "\"carbon_g_per_kwh\" }", "\"carbon_g_per_kwh\", carbon_g_per_kwh = 1 }",
                "scenario.toml:10: signals.carbon.carbon_g_per_kwh is not known"},
        Refusal{kScenario, "carbon_g_per_kwh = 5", "carbon_g_per_kwh = -5",
                "scenario.toml:11: signals.renewable.carbon_g_per_kwh is -5"},
        Refusal{kScenario, "file = \"price.csv\", column = \"price_per_kwh\"",
                "file = \"carbon.csv\", column = \"carbon_g_per_kwh\"", "carbon.csv: column 'carbon_g_per_kwh' is "},
        Refusal{"carbon.csv", "2023-06-05T02:00:00Z,300\n", "",
                "carbon.csv: column 'carbon_g_per_kwh' has no value at 2023-06-05T02:00:00Z; needed are all of"},
        Refusal{"carbon.csv", ",300", ",", "carbon.csv: column 'carbon_g_per_kwh' has no value at 2023-06-05T02:00"},
        Refusal{"carbon.csv", ",300", ",nan", "carbon.csv:4: column 'carbon_g_per_kwh': 'nan' is not a number"},
        Refusal{"carbon.csv", ",300", ",-300", "carbon.csv:4: "},
        Refusal{"carbon.csv", "2023-06-05T00:00:00Z,500\n", "", "carbon.csv: covers 2023-06-05T01:00:00Z to"},
        Refusal{"solar.csv", "2023-06-05T03:30:00Z,1\n", "", "solar.csv: covers 2023-06-05T00:00:00Z to"},
        Refusal{"rate.csv", ",30,", ",-30,", "rate.csv: column 'requests_per_s' is -30 at 2023-06-05T02:00:00Z"},
        Refusal{"rate.csv", ",30,", ",nan,", "rate.csv:4: column 'requests_per_s': 'nan' is not a number"},
        Refusal{"rate.csv", ",30,", ",,", "rate.csv: column 'requests_per_s' has no value at 2023-06-05T02:00:00Z"},
        Refusal{"rate.csv", "2023-06-05T03:00:00Z,40,1\n", "",
                "rate.csv: covers 2023-06-05T00:00:00Z to 2023-06-05T03"}));
INSTANTIATE_TEST_SUITE_P(
    Profiles, RefusalTest,
    ::testing::Values(
        Refusal{kScenario, "training = \"training.csv\"\n", "", "scenario.toml:36: profiles.training is missing"},
        Refusal{kScenario, "\"training.csv\"", "\"t.csv\"", "t.csv: cannot open"},
        Refusal{"training.csv", "workers,", "worker,",
                "training.csv:1: there is no column 'workers'; needed are model"},
        Refusal{"training.csv", "core_mhz", "power_w", "training.csv:1: there is no column 'core_mhz'"},
        Refusal{"training.csv", "model,gpu", "gpu,gpu", "training.csv:1: there is no column 'model'"},
        Refusal{"training.csv", ",90,190", ",0,190", "training.csv:3: samples_per_s is 0; must be more than 0"},
        Refusal{"training.csv", ",90,190", ",-90,190", "training.csv:3: samples_per_s is -90"},
        Refusal{"training.csv", ",90,190", ",nan,190", "training.csv:3: samples_per_s is 'nan'; must be a number"},
        Refusal{"training.csv", ",90,190", ",90,nan", "training.csv:3: power_w is 'nan'; must be a number"},
        Refusal{"training.csv", ",90,190", ",90,-190", "training.csv:3: power_w is -190; must be 0 or more"},
        Refusal{"training.csv", ",90,190", ",90,", "training.csv:3: power_w is empty"},
        Refusal{"training.csv", "A40,1,,200", "A40,0,,200", "training.csv:3: workers is 0; must be 1 or more"},
        Refusal{"training.csv", "A40,1,,200", "A40,1.5,,200", "training.csv:3: workers is '1.5'; must be a whole"},
        Refusal{"training.csv", "A40,1,,200", "A40,1,,-200", "training.csv:3: power_limit_w is -200"},
        Refusal{"training.csv", "A40,1,,200", "A40,1,0,200", "training.csv:3: core_mhz is 0"},
        Refusal{"training.csv", "net,A40,1,,200", ",A40,1,,200", "training.csv:3: model is empty"},
        Refusal{"training.csv", ",90,190", ",90", "training.csv:3: "},
        Refusal{"inference.csv", ",4,30.69", ",0,30.69", "inference.csv:3: batch is 0; must be 1 or more"},
        Refusal{"inference.csv", ",4,30.69", ",4,0", "inference.csv:3: latency_ms is 0; must be more than 0"},
        Refusal{"inference.csv", "130.336", "-1", "inference.csv:3: requests_per_s is -1"},
        Refusal{"inference.csv", "63.78", "-1", "inference.csv:3: power_w is -1"}));
INSTANTIATE_TEST_SUITE_P(
    Jobs, RefusalTest,
    ::testing::Values(
        Refusal{kScenario, "jobs = \"jobs.csv\"\n", "", "scenario.toml:40: workload.jobs is missing"},
        Refusal{kScenario, "jobs = \"jobs.csv\"", "jobs = \"j.csv\"", "j.csv: cannot open"},
        Refusal{"jobs.csv", "j1,net", "j1,nett",
                "jobs.csv:2: model 'nett' is not in the training profiles; did you mean net? One of net, rnn"},
        Refusal{"jobs.csv", "j2,rnn", "j1,rnn", "jobs.csv:3: id 'j1' is also in row 2"},
        Refusal{"jobs.csv", "j1,net", ",net", "jobs.csv:2: id is empty"},
        Refusal{"jobs.csv", "100000,1,2", "100000,9,16",
                "jobs.csv:2: min_workers is 9 and no group has as many GPUs; must be at most 8"},
        Refusal{"jobs.csv", "100000,1,2", "100000,3,4",
                "jobs.csv:2: model 'net' has no training profile from 3 to 4 workers"},
        Refusal{"jobs.csv", "100000,1,2", "100000,2,1",
                "jobs.csv:2: max_workers is 1; must be at least min_workers, 2"},
        Refusal{"jobs.csv", "100000,1,2", "100000,0,2", "jobs.csv:2: min_workers is 0; must be 1 or more"},
        Refusal{"jobs.csv", "100000,1,2", "100000,one,2", "jobs.csv:2: min_workers is 'one'; must be a whole number"},
        Refusal{"jobs.csv", "100000,1,2", "0,1,2", "jobs.csv:2: samples is 0; must be more than 0"},
        Refusal{"jobs.csv", "100000,1,2", "-1,1,2", "jobs.csv:2: samples is -1"},
        Refusal{"jobs.csv", "100000,1,2", "nan,1,2", "jobs.csv:2: samples is 'nan'"},
        Refusal{"jobs.csv", "2023-06-05T03:00:00Z", "2023-06-05T00:05:00Z",
                "jobs.csv:2: deadline 2023-06-05T00:05:00Z is not after submit; must be later than 2023-06-05T00:10"},
        Refusal{"jobs.csv", "2023-06-05T03:00:00Z", "2023-06-05T00:10:00Z",
                "jobs.csv:2: deadline 2023-06-05T00:10:00Z is not after submit"},
        Refusal{"jobs.csv", "2023-06-04T00:00:00Z,", "2023-06-05T04:00:00Z,",
                "jobs.csv:3: submit 2023-06-05T04:00:00Z is after the horizon; must be before"},
        Refusal{"jobs.csv", "2023-06-04T00:00:00Z,", "2023-06-04T00:00:00Z,2023-06-05T00:00:00Z",
                "jobs.csv:3: deadline 2023-06-05T00:00:00Z is before the horizon"},
        Refusal{"jobs.csv", "2023-06-04T00:00:00Z,", "yesterday,", "jobs.csv:3: submit is 'yesterday'; must be a time"},
        Refusal{"jobs.csv", "2023-06-04T00:00:00Z,", ",", "jobs.csv:3: submit is empty; must be a time"},
        Refusal{"jobs.csv", "1,60", "1,-60", "jobs.csv:2: resume_s is -60; must be 0 or more"},
        Refusal{"jobs.csv", "1,60", "1,1e300", "jobs.csv:2: resume_s is 1e+300"},
        Refusal{"jobs.csv", "1,60", "yes,60", "jobs.csv:2: preemptible is 'yes'; must be 0 or 1"}));
INSTANTIATE_TEST_SUITE_P(
    Services, RefusalTest,
    ::testing::Values(
        Refusal{"services.csv", "s1,clip", "s1,net",
                "services.csv:2: model 'net' is not in the inference profiles; one of clip"},
        Refusal{"services.csv", "0.99", "1", "services.csv:2: percentile is 1; must be between 0 and 1"},
        Refusal{"services.csv", "0.99", "0", "services.csv:2: percentile is 0"},
        Refusal{"services.csv", "0.99", "99", "services.csv:2: percentile is 99"},
        Refusal{"services.csv", "clip,120", "clip,0", "services.csv:2: latency_slo_ms is 0"},
        Refusal{"services.csv", ",1,4", ",5,4", "services.csv:2: max_replicas is 4; must be at least 5"},
        Refusal{"services.csv", ",1,4", ",-1,4", "services.csv:2: min_replicas is -1"},
        Refusal{"services.csv", ",1,4", ",0,0", "services.csv:2: max_replicas is 0; must be at least 1"},
        Refusal{"services.csv", ",1,4", ",9,9", "services.csv:2: min_replicas is 9 and no group has as many GPUs"},
        Refusal{"services.csv", "rate.csv,", "r.csv,", "r.csv: cannot open"},
        Refusal{"services.csv", ",requests_per_s,", ",requests,", "rate.csv: has no column 'requests'; one of"},
        Refusal{"services.csv", "\ns1", "\ns1,clip,120,0.99,rate.csv,other,0,1\ns1",
                "services.csv:3: id 's1' is also in row 2"}));

}  // namespace
}  // namespace heliostat::scenario
