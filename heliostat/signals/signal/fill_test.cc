#include "heliostat/signals/signal/fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

const double kGap = Missing();

StepSeries SixHourly(std::vector<double> values) { return *StepSeries::Make(Instant{}, 6h, std::move(values)); }

TEST(FillTest, HoldRepeatsTheLastKnownValueAndInventsNoneBeforeTheFirst) {
  const auto filled = Fill(SixHourly({kGap, 1, kGap, kGap, 4}), FillRule::kHold);
  EXPECT_EQ(filled.missing(), 1U);
  EXPECT_EQ(filled.values()[2], 1);
  EXPECT_EQ(filled.values()[3], 1);
}

TEST(FillTest, LinearDrawsALineBetweenNeighbours) {
  EXPECT_THAT(Fill(SixHourly({1, kGap, kGap, 4}), FillRule::kLinear).values(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Fill(SixHourly({kGap, 1, kGap}), FillRule::kLinear).missing(), 2U);
}

TEST(FillTest, YesterdayLooksOneDayBackAlsoThroughLongGaps) {
  const auto filled = Fill(SixHourly({1, 2, 3, 4, 5, kGap, kGap, kGap, kGap, kGap}), FillRule::kYesterday);
  EXPECT_THAT(filled.values(), ElementsAre(1, 2, 3, 4, 5, 2, 3, 4, 5, 2));
}

TEST(FillTest, TypicalUsesTheSameTimeOfOtherDays) {
  EXPECT_THAT(Fill(SixHourly({1, 2, 3, 4, 3, kGap, 5, 6}), FillRule::kTypical).values(),
              ElementsAre(1, 2, 3, 4, 3, 2, 5, 6));
}

TEST(FillTest, LeavesGapsThatAreTooLong) {
  const auto filled = Fill(SixHourly({1, kGap, 3, kGap, kGap, 6}), FillRule::kLinear, 6h);
  EXPECT_EQ(filled.missing(), 2U);
  EXPECT_EQ(filled.values()[1], 2);
}

TEST(FillTest, KnownValuesAreNeverTouched) {
  const auto series = SixHourly({5, kGap, 7, 1, kGap, kGap, 2, 9, 9});
  for (const char* name : {"hold", "linear", "yesterday", "typical"}) {
    const auto filled = Fill(series, *ParseFillRule(name));
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (IsMissing(series.values()[i])) continue;
      EXPECT_EQ(filled.values()[i], series.values()[i]) << name;
    }
  }
  EXPECT_FALSE(ParseFillRule("magic"));
}

}  // namespace
}  // namespace heliostat::signal
