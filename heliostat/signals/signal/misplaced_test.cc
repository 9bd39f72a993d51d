#include "heliostat/signals/signal/misplaced.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

// Hours that differ a little from one to the next and much from day to day. `days` of zero: a sound series; otherwise
// the values at `hour` are those of so many days later.
StepSeries Hours(int hour, int days, std::size_t count = 70 * 24) {
  const auto value = [](double t) { return 300 + 100 * std::sin(t / 9.1) + 60 * std::sin(t / 37.7); };
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_moved = static_cast<int>(i % 24) == hour;
    values.push_back(value(static_cast<double>(i) + (is_moved ? 24.0 * days : 0.0)));
  }
  return *StepSeries::Make(Instant{std::chrono::days{19000}}, 1h, values);
}

TEST(MisplacedTimeTest, FindsTheHourAndTheDayThatItBelongsTo) {
  for (const int days : {1, -1}) {
    const auto found = FindMisplacedTime(Hours(5, days));
    ASSERT_TRUE(found) << days;
    EXPECT_EQ(found->of_day, 5h);
    EXPECT_EQ(found->days, days);
    EXPECT_LT(found->misfit, found->own_misfit / 2);
  }
}

TEST(MisplacedTimeTest, ASoundSeriesOrAShortOneHasNone) {
  EXPECT_FALSE(FindMisplacedTime(Hours(5, 0)));
  EXPECT_FALSE(FindMisplacedTime(Hours(5, 1, 15 * 24)));
}

TEST(MisplacedTimeTest, AnHourThatIsOddOnEveryDayIsNotMisplaced) {
  const StepSeries sound = Hours(5, 0);
  std::vector<double> values = sound.values();
  for (std::size_t i = 12; i < values.size(); i += 24) values[i] += 80;
  EXPECT_FALSE(FindMisplacedTime(*StepSeries::Make(sound.start(), 1h, values)));
}

}  // namespace
}  // namespace heliostat::signal
