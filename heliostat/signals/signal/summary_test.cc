#include "heliostat/signals/signal/summary.h"

#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

TEST(SummaryTest, LeavesMissingValuesOut) {
  const std::vector<double> values{3, Missing(), -1, 4};
  const Summary summary = Summarize(values);
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.missing, 1U);
  EXPECT_EQ(summary.min, -1);
  EXPECT_EQ(summary.mean, 2);
  EXPECT_EQ(summary.max, 4);
}

TEST(SummaryTest, OfNothingKnownIsUnknown) {
  const std::vector<double> values{Missing()};
  EXPECT_TRUE(IsMissing(Summarize(values).mean));
}

TEST(SummaryTest, DayShapeAndDailyMeans) {
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(i % 24 + (i < 24 ? 0 : 10));
  const auto series = *StepSeries::Make(Instant{}, 1h, values);
  EXPECT_EQ(TypicalDay(series)[7], 12);
  EXPECT_EQ(MeansByDay(series).means, (std::vector<double>{11.5, 21.5}));
}

TEST(SummaryTest, ADayThatBeginsAndEndsInTheMiddleCounts) {
  const auto series = *StepSeries::Make(Instant{} + 12h, 12h, {1, 2, 3, 4});
  EXPECT_EQ(MeansByDay(series).means, (std::vector<double>{1, 2.5, 4}));
}

}  // namespace
}  // namespace heliostat::signal
