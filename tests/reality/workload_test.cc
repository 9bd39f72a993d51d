// Reads public traces and compares counts, means and extremes with figures computed independently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/workload/requests.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class PublicTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(heliostat::testing::DataFolder() / "jobs")) {
      GTEST_SKIP() << heliostat::testing::kNoData << heliostat::testing::DataFolder();
    }
  }
  static std::string TextOf(const char* file) {
    const auto text = io::ReadFile((heliostat::testing::DataFolder() / file).string());
    EXPECT_TRUE(text.has_value()) << file;
    return text.value_or("");
  }
  static Trace JobsOf(const char* file) {
    const auto trace = ReadTrace(TextOf(file), file);
    EXPECT_TRUE(trace.has_value()) << (trace ? "" : trace.error().Line());
    return trace.value_or(Trace{});
  }
};

double MeanHours(const Trace& trace) {
  double sum = 0.0;
  for (const TraceJob& job : trace.jobs) sum += Seconds(job.length).count() / 3600.0;
  return sum / static_cast<double>(trace.jobs.size());
}

TEST_F(PublicTraces, PhillyHas82247JobsNearlyAllOnOneGpu) {
  const Trace trace = JobsOf("jobs/philly/philly.csv");
  ASSERT_EQ(trace.jobs.size(), 82247U);
  EXPECT_EQ(trace.dropped, 0U);
  EXPECT_NEAR(MeanHours(trace) * 3600.0, 13136.0, 0.5);
  std::vector<Duration> lengths;
  for (const TraceJob& job : trace.jobs) lengths.push_back(job.length);
  std::ranges::nth_element(lengths, lengths.begin() + 41123);
  EXPECT_EQ(lengths[41123], 1144s);
  const auto alone = std::ranges::count(trace.jobs, 1, &TraceJob::gpus);
  EXPECT_EQ(alone, 76627);
  EXPECT_EQ(trace.jobs.front().submit, 10h + 30min + 41s);
  EXPECT_EQ(trace.span(), 109 * 24h + 8h + 2min + 11s);
}

TEST_F(PublicTraces, ChronusHasDeadlinesOfTwiceTheLength) {
  const Trace trace = JobsOf("jobs/chronus/trace_job_Philly_SLO.csv");
  EXPECT_EQ(trace.jobs.size() + trace.dropped, 30940U);
  EXPECT_EQ(trace.dropped, 205U);
  double slack = 0.0;
  for (const TraceJob& job : trace.jobs) {
    ASSERT_TRUE(job.deadline.has_value() && job.model.has_value());
    slack += Seconds(*job.deadline) / Seconds(job.length) / static_cast<double>(trace.jobs.size());
  }
  EXPECT_NEAR(slack, 2.13, 0.01);
  EXPECT_LE(trace.span(), 14 * 24h);
}

TEST_F(PublicTraces, PolluxHasEightWorkloadsOf160Jobs) {
  double hours = 0.0;
  for (int i = 1; i <= 8; ++i) {
    const Trace trace = JobsOf(("jobs/pollux/workload-" + std::to_string(i) + ".csv").c_str());
    EXPECT_EQ(trace.jobs.size(), 160U);
    EXPECT_LE(trace.span(), 8h);
    hours += trace.gpu_hours();
  }
  // 26 imagenet jobs contribute most of it.
  EXPECT_NEAR(hours, 26 * 189.0 + 86 * 5.4 + 495 * 1.6 + 111 * 7.7 + 59 * 14.3 + 503 * 0.009, 2.0);
}

TEST_F(PublicTraces, PaiIsInHours) {
  const Trace trace = JobsOf("jobs/alibaba_pai/pai_rows_00000_29999.csv");
  EXPECT_EQ(trace.jobs.size(), 30000U);
  EXPECT_NEAR(MeanHours(trace), 2.267, 0.001);
  EXPECT_EQ(std::ranges::min_element(trace.jobs, {}, &TraceJob::length)->length, 301s);
  EXPECT_NEAR(Seconds(trace.span()).count() / 3600.0, 2685.3, 0.1);
}

TEST_F(PublicTraces, RequestsComeAtTheirPublishedRates) {
  const auto azure = ReadRequests(TextOf("inference/azure_llm_2023/AzureLLMInferenceTrace_conv.csv"), "azure");
  ASSERT_TRUE(azure.has_value()) << azure.error().Line();
  EXPECT_EQ(azure->size(), 19366U);
  EXPECT_NEAR(azure->rate(), 5.5, 0.1);
  const auto mooncake = ReadRequests(TextOf("inference/mooncake/mooncake_conversation.csv"), "mooncake");
  ASSERT_TRUE(mooncake.has_value()) << mooncake.error().Line();
  EXPECT_EQ(mooncake->size(), 12031U);
  EXPECT_NEAR(mooncake->rate(), 3.4, 0.1);
  const double work = std::accumulate(azure->work.begin(), azure->work.end(), 0.0);
  EXPECT_NEAR(work / static_cast<double>(azure->size()), 1.0, 1e-4);
}

TEST_F(PublicTraces, ServeGenHasFourteenDaysAndSomeMissing) {
  const std::string text = TextOf("inference/servegen/servegen_rate_10min.csv");
  const auto large = ReadServeGenRates(text, "servegen", "m-large");
  const auto middle = ReadServeGenRates(text, "servegen", "m-mid");
  ASSERT_TRUE(large.has_value() && middle.has_value());
  EXPECT_EQ(large->rates.size(), 2016U);
  EXPECT_EQ(middle->rates.missing(), 84U);
  const auto rates = RatesPerSlot(*large, 1h, 336);
  ASSERT_TRUE(rates.has_value()) << rates.error().Line();
  EXPECT_NEAR(std::accumulate(rates->begin(), rates->end(), 0.0) / 336.0, 196.0, 1.0);
  EXPECT_FALSE(RatesPerSlot(*middle, 1h, 336).has_value());
  EXPECT_TRUE(RatesPerSlot(*middle, 1h, 336, false, signal::FillRule::kYesterday).has_value());
}

TEST_F(PublicTraces, EveryTraceMakesAScenarioAtItsLoad) {
  for (const char* file : {"jobs/philly/philly.csv", "jobs/chronus/trace_job_Philly_SLO.csv",
                           "jobs/pollux/workload-1.csv", "jobs/alibaba_pai/pai_rows_00000_29999.csv"}) {
    ScenarioRecipe recipe;
    recipe.elasticity = 1.0;
    recipe.trace = std::make_shared<const Trace>(JobsOf(file));
    recipe.trace_offset = BusiestDay(*recipe.trace, 168h);
    recipe.load = 0.3;
    const auto made = Make(recipe);
    ASSERT_TRUE(made.has_value()) << made.error().Line();
    EXPECT_LE(LoadOf(*made), 0.301) << file;
    EXPECT_GT(made->jobs.size(), 100U) << file;
  }
}

}  // namespace
}  // namespace heliostat::workload
