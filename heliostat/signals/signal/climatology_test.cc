#include "heliostat/signals/signal/climatology.h"

#include <gtest/gtest.h>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

TEST(ClimatologyTest, RepeatsAWeeklyPatternExactly) {
  std::vector<double> values;
  for (int i = 0; i < 3 * 168; ++i) values.push_back(i % 168);
  const auto typical = *Climatology::FromHistory(*StepSeries::Make(Instant{} - 1000h, 1h, values));
  for (int i = 0; i < 400; ++i) EXPECT_EQ(typical.At(Instant{} - 1000h + i * 1h), i % 168);
  EXPECT_EQ(typical.Over(Instant{} - 1000h, 48)->values()[47], 47);
}

TEST(ClimatologyTest, FallsBackFromWeekToDayToEverything) {
  // One day of history: other weekdays take the hour of that day.
  std::vector<double> day;
  for (int i = 0; i < 24; ++i) day.push_back(i);
  const auto from_day = *Climatology::FromHistory(*StepSeries::Make(Instant{}, 1h, day));
  EXPECT_EQ(from_day.At(Instant{} + 72h + 5h), 5);
  const auto from_two = *Climatology::FromHistory(*StepSeries::Make(Instant{}, 1h, {10, Missing(), 20}));
  EXPECT_EQ(from_two.At(Instant{} + 12h), 15);
}

TEST(ClimatologyTest, NeedsOneKnownValue) {
  EXPECT_FALSE(Climatology::FromHistory(*StepSeries::Make(Instant{}, 1h, {Missing()})));
}

TEST(ClimatologyTest, TakesStepsThatDoNotDivideADay) {
  const auto typical = *Climatology::FromHistory(*StepSeries::Make(Instant{}, 7h, {1, 2, 3, 4, 5}));
  EXPECT_EQ(typical.At(Instant{} + 8h), 2);
  const auto slow = *Climatology::FromHistory(*StepSeries::Make(Instant{}, 100h, {1, 2, 3, 4, 5}));
  EXPECT_TRUE(slow.At(Instant{} + 1h) > 0);
}

}  // namespace
}  // namespace heliostat::signal
