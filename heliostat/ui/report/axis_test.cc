#include "heliostat/ui/report/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;
using ::testing::ElementsAre;

std::vector<std::string> Labels(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

TEST(NumberAxisTest, EndsAtRoundNumbers) {
  EXPECT_THAT(Labels(NumberAxis(133, 530, 4)), ElementsAre("100", "200", "300", "400", "500", "600"));
  EXPECT_THAT(Labels(NumberAxis(-0.04, 0.24, 3)), ElementsAre("-0.1", "0.0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(Labels(NumberAxis(0, 1, 4)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
}

TEST(NumberAxisTest, GivesASingleValueRoom) {
  for (const double value : {0.0, 5.0, -3.0, 1e-9, 1e12}) {
    const Axis axis = NumberAxis(value, value, 4);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_LT(axis.ticks.size(), 12U);
  }
}

TEST(NumberTextTest, EstimatesAreRoundedToTheirDigits) {
  EXPECT_EQ(RoundedText(8653, 2), "8700");
  EXPECT_EQ(RoundedText(-1199, 2), "-1200");
  EXPECT_EQ(RoundedText(4.62, 2), "4.6");
  EXPECT_EQ(RoundedText(0, 2), "0");
}

TEST(NumberTextTest, NumbersOfOneChartHaveTheSameDecimals) {
  EXPECT_EQ(DecimalText(0.989, DecimalsFor(91.6)), "1.0");
  EXPECT_EQ(DecimalText(13.5, DecimalsFor(581)), "14");
  EXPECT_EQ(DecimalText(-0.01, DecimalsFor(91.6)), "0.0");
  EXPECT_EQ(DecimalsFor(0), 0);
}

TEST(TimeAxisTest, PicksTicksThatFitTheSpan) {
  const Instant start = sys_days{year{2024} / 2 / 28};
  EXPECT_THAT(Labels(TimeAxis({start, start + 24h}, 5)), ElementsAre("28 Feb", "06:00", "12:00", "18:00", "29 Feb"));
  EXPECT_THAT(Labels(TimeAxis({start, start + 72h}, 5)), ElementsAre("28 Feb", "29 Feb", "1 Mar", "2 Mar"));
  EXPECT_THAT(Labels(TimeAxis({start + 7min, start + 40min}, 5)), ElementsAre("00:10", "00:20", "00:30", "00:40"));
  EXPECT_THAT(Labels(TimeAxis({start + 7s, start + 34s}, 5)), ElementsAre("00:00:10", "00:00:20", "00:00:30"));
  const Interval years{sys_days{year{2023} / 1 / 1}, sys_days{year{2024} / 1 / 1}};
  EXPECT_THAT(Labels(TimeAxis(years, 6)), ElementsAre("2023", "Apr", "Jul", "Oct", "2024"));
}

TEST(TimeAxisTest, NeverHasManyMoreTicksThanAsked) {
  for (Duration length = 1s; length < Duration{24h * 365 * 150}; length = length * 3 / 2 + 1s) {
    const Axis axis = TimeAxis({Instant{}, Instant{length}}, 8);
    EXPECT_LE(axis.ticks.size(), 10U) << length.count();
    EXPECT_GE(axis.ticks.size(), 1U) << length.count();
  }
}

TEST(NumberTextTest, KeepsThreeDigits) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(0.012345), "0.0123");
  EXPECT_EQ(NumberText(133.4), "133");
  EXPECT_EQ(NumberText(-4191.7), "-4192");
  EXPECT_EQ(NumberText(1.5e-6), "1.5e-06");
  EXPECT_EQ(NumberText(signal::Missing()), "–");
}

}  // namespace
}  // namespace heliostat::report
