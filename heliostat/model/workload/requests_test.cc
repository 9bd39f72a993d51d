#include "heliostat/model/workload/requests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReadRequests, OfAzureKeepsFractionsOfASecondAndSorts) {
  const auto trace = ReadRequests(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-16 18:15:50.9951690,396,30\n"
      "2023-11-16 18:15:46.6805900,374,10\n",
      "azure.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_NEAR(trace->arrival_s[1], 4.314579, 1e-6);
  EXPECT_THAT(trace->work, ElementsAre(0.5F, 1.5F));
}

TEST(ReadRequests, OfMooncakeCountsInMilliseconds) {
  const auto trace = ReadRequests(
      "timestamp_ms,input_length,output_length,n_blocks\n1000,1,10,1\n1000,1,10,1\n4000,1,40,1\n", "mooncake.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_THAT(trace->arrival_s, ElementsAre(0.0, 0.0, 3.0));
  EXPECT_DOUBLE_EQ(trace->period_s(), 4.5);
  EXPECT_DOUBLE_EQ(trace->rate(), 3.0 / 4.5);
}

TEST(ReadRequests, RefusesInOneLine) {
  const auto said = [](const char* text) { return ReadRequests(text, "r.csv").error().Line(); };
  EXPECT_THAT(said(""), HasSubstr("columns of a request trace"));
  EXPECT_THAT(said("timestamp_ms,output_length\n5,1\n5,1\n"), HasSubstr("all at one time"));
  EXPECT_THAT(said("timestamp_ms,output_length\n5,1\n-5,1\n"), HasSubstr("r.csv:3: timestamp_ms is '-5'"));
  EXPECT_THAT(said("TIMESTAMP,GeneratedTokens\n2023-11-16 18:15:46.x,1\n"), HasSubstr("r.csv:2: TIMESTAMP"));
  EXPECT_THAT(said("TIMESTAMP\n2023-11-16 18:15:46.1\n"), HasSubstr("no column 'GeneratedTokens'"));
}

RequestTrace Spaced(std::size_t count, double gap) {
  RequestTrace trace{.name = "even", .arrival_s = {}, .work = std::vector<float>(count, 1.0F)};
  for (std::size_t i = 0; i < count; ++i) trace.arrival_s.push_back(gap * static_cast<double>(i));
  return trace;
}

RC_GTEST_PROP(RatesPerSlot, CountEveryRequestOnceInEachRound, ()) {
  RequestTrace trace{.name = "t", .arrival_s = {0.0}, .work = {}};
  const auto gaps = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5000)));
  for (const int gap : gaps) trace.arrival_s.push_back(trace.arrival_s.back() + gap / 1000.0);
  RC_PRE(trace.arrival_s.back() > 0.0);
  const auto step = Duration{*rc::gen::inRange(1, 60)};
  const auto slots = *rc::gen::inRange<std::size_t>(1, 200);
  const auto rates = RatesPerSlot(trace, step, slots, true);
  RC_ASSERT(rates.has_value());
  const double counted = std::accumulate(rates->begin(), rates->end(), 0.0) * static_cast<double>(step.count());
  const double end = static_cast<double>(step.count()) * static_cast<double>(slots);
  const double expected = trace.rate() * end;
  RC_ASSERT(std::abs(counted - expected) <= static_cast<double>(trace.size()) + 1.0);
  for (const double rate : *rates) RC_ASSERT(rate >= 0.0);
}

TEST(RatesPerSlot, OfAnEvenTraceHaveNoSeam) {
  const auto rates = RatesPerSlot(Spaced(100, 0.5), 10s, 60, true);
  ASSERT_TRUE(rates.has_value());
  for (const double rate : *rates) EXPECT_DOUBLE_EQ(rate, 2.0);
}

TEST(RatesPerSlot, RefuseAHorizonLongerThanTheTraceUnlessItMayRepeat) {
  EXPECT_TRUE(RatesPerSlot(Spaced(100, 1.0), 10s, 10).has_value());
  EXPECT_THAT(RatesPerSlot(Spaced(100, 1.0), 10s, 11).error().Line(), HasSubstr("lasts 100 s, but 110 s are needed"));
  EXPECT_TRUE(RatesPerSlot(Spaced(100, 1.0), 10s, 11, true).has_value());
  EXPECT_FALSE(RatesPerSlot(Spaced(100, 1.0), 0s, 11, true).has_value());
}

std::string ServeGenDays(int days) {
  std::string text = "category,model,t_s,rate_rps,active_clients\n";
  for (int i = 0; i < days * 144; ++i) {
    text += fmt::format("language,m-a,{},{},4\n", i * 600, i == 3 ? 0 : 100 + i % 144);
    text += fmt::format("language,m-b,{},1,4\n", i * 600);
  }
  return text;
}

TEST(ReadServeGenRates, TakesZerosForMissing) {
  const auto trace = ReadServeGenRates(ServeGenDays(1), "s.csv");
  ASSERT_TRUE(trace.has_value()) << trace.error().Line();
  EXPECT_EQ(trace->name, "m-a");
  EXPECT_EQ(trace->rates.size(), 144U);
  EXPECT_EQ(trace->rates.missing(), 1U);
  EXPECT_EQ(ReadServeGenRates(ServeGenDays(1), "s.csv", "m-b")->rates.values()[7], 1.0);
  EXPECT_THAT(ReadServeGenRates(ServeGenDays(1), "s.csv", "m-c").error().Line(), HasSubstr("no rates of model 'm-c'"));
  EXPECT_THAT(ReadServeGenRates("model,t_s,rate_rps\na,0,1\na,600,1\na,1800,1\n", "s.csv").error().Line(),
              HasSubstr("s.csv:4: t_s is '1800'; must be 1200"));
}

TEST(RatesPerSlot, OfServeGenAreMeansOverTheSlotAndNeedARuleForWhatIsMissing) {
  const auto trace = *ReadServeGenRates(ServeGenDays(1), "s.csv");
  EXPECT_FALSE(RatesPerSlot(trace, 1h, 24).has_value());
  const auto rates = RatesPerSlot(trace, 1h, 24, false, signal::FillRule::kLinear);
  ASSERT_TRUE(rates.has_value()) << rates.error().Line();
  EXPECT_NEAR((*rates)[0], 102.5, 1e-9);  // linear filling restores the missing value
  EXPECT_NEAR((*rates)[23], 100.0 + 140.5, 1e-9);
}

TEST(RatesPerSlot, OfServeGenRepeatWholeDays) {
  const auto trace = *ReadServeGenRates(ServeGenDays(2), "s.csv", "m-b");
  const auto rates = RatesPerSlot(trace, 1h, 24 * 5, true);
  ASSERT_TRUE(rates.has_value());
  for (const double rate : *rates) EXPECT_NEAR(rate, 1.0, 1e-9);
  EXPECT_FALSE(RatesPerSlot(trace, 1h, 24 * 5).has_value());
}

}  // namespace
}  // namespace heliostat::workload
