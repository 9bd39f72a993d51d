#include "heliostat/forecasting/auto_parts/calendar_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/auto_parts/testing/frames.h"

namespace heliostat::auto_parts {
namespace {

using testing::FrameOf;
using testing::IsWeekend;
using testing::Turn;
using testing::Values;

const ZoneCalendar kNowhere = ZoneCalendar::Of("");

// A weekend begins gradually over its first six hours, and ends in the same way.
double WeekendShare(std::size_t i) {
  double share = 0;
  for (std::size_t back = 0; back <= 6; ++back) share += i >= back && IsWeekend(i - back) ? 1.0 / 7 : 0;
  return share;
}

double WeekendEffect(std::size_t i) { return -1.5 * WeekendShare(i) * (1 + std::cos(Turn(i))); }

// The shape of a day, up to three lower at weekends.
double ShapeOf(std::size_t i) { return 5 + 2 * std::sin(Turn(i)) + std::cos(2 * Turn(i)) + WeekendEffect(i); }

// Steps of six hours, with a yearly wave.
Frame YearsFrame(std::size_t days) {
  Frame frame;
  frame.start = testing::kStart;
  frame.step = std::chrono::hours{6};
  frame.day = 4;
  frame.size = 4 * days;
  frame.columns = {Values(frame.size, [](std::size_t i) {
    return 10 + 3 * std::sin(2 * 3.141592653589793 * static_cast<double>(i) / 4 / 365.2425);
  })};
  return frame;
}

TEST(CalendarModelTest, FindsTheDayAndTheWeekend) {
  const std::size_t known = 140 * 24;
  const Frame frame = FrameOf({Values(known, ShapeOf), Values(known, [](std::size_t i) { return -ShapeOf(i); })});
  const auto model = CalendarModel::Fit(frame, kNowhere);
  EXPECT_EQ(model.columns(), 2U);
  // Beyond the end as well as inside; effects are up to 3, and slightly shrunk.
  const auto expected = model.Expected(frame, kNowhere, known - 24 * 7, 24 * 14);
  const auto effects = model.DayEffects(frame, kNowhere, known - 24 * 7, 24 * 14);
  for (std::size_t i = 0; i < expected.rows; ++i) {
    const std::size_t at = known - 24 * 7 + i;
    EXPECT_NEAR(expected.Row(i)[0], ShapeOf(at), 0.25);
    EXPECT_NEAR(expected.Row(i)[1], -ShapeOf(at), 0.25);
    EXPECT_NEAR(effects.Row(i)[0], WeekendEffect(at), 0.3);
    const std::size_t weekday = at / 24 % 7;
    if ((weekday == 1 && at % 24 >= 6) || (weekday >= 2 && weekday <= 4)) {
      EXPECT_EQ(effects.Row(i)[0], 0) << "an ordinary day adds nothing";
    }
  }
}

TEST(CalendarModelTest, DoesNotJumpAtMidnight) {
  const Frame frame = FrameOf({Values(140 * 24, ShapeOf)});
  const auto effects = CalendarModel::Fit(frame, kNowhere).DayEffects(frame, kNowhere, 7 * 24, 14 * 24);
  for (std::size_t i = 1; i < effects.rows; ++i) EXPECT_LT(std::abs(effects.Row(i)[0] - effects.Row(i - 1)[0]), 0.8);
}

TEST(CalendarModelTest, TakesAHolidayForASunday) {
  // From 2021-03-01: Good Friday and Easter Monday are days 32 and 35.
  const auto germany = ZoneCalendar::Of("DE");
  const Frame frame = FrameOf({Values(120 * 24, ShapeOf)});
  const auto model = CalendarModel::Fit(frame, germany);
  const auto effects = model.DayEffects(frame, germany, 0, 40 * 24);
  EXPECT_NEAR(effects.Row(32 * 24 + 12)[0], effects.Row(27 * 24 + 12)[0], 1e-9);
  EXPECT_NEAR(effects.Row(35 * 24 + 12)[0], effects.Row(27 * 24 + 12)[0], 1e-9);
  EXPECT_EQ(effects.Row(31 * 24 + 12)[0], 0);
}

TEST(CalendarModelTest, TellsSeasonsOnlyAfterMostOfAYear) {
  const Frame brief = YearsFrame(299), whole = YearsFrame(420);
  EXPECT_FALSE(CalendarModel::Fit(brief, kNowhere).has_seasons());
  const auto model = CalendarModel::Fit(whole, kNowhere);
  ASSERT_TRUE(model.has_seasons());
  const auto expected = model.Expected(whole, kNowhere, whole.size, 200);
  for (std::size_t i = 0; i < 200; ++i) {
    const double t = static_cast<double>(whole.size + i) / 4 / 365.2425;
    EXPECT_NEAR(expected.Row(i)[0], 10 + 3 * std::sin(2 * 3.141592653589793 * t), 0.3);
  }
}

TEST(CalendarModelTest, KeepsAConstantConstant) {
  const Frame frame = FrameOf({std::vector<double>(60 * 24, 6.25)});
  const auto model = CalendarModel::Fit(frame, kNowhere);
  const auto expected = model.Expected(frame, kNowhere, 0, 70 * 24);
  for (const double value : expected.values) ASSERT_NEAR(value, 6.25, 1e-11);
  for (const double value : model.DayEffects(frame, kNowhere, 0, 70 * 24).values) ASSERT_NEAR(value, 0, 1e-11);
}

TEST(CalendarModelTest, ComesBackBitForBit) {
  const Frame frame = FrameOf({testing::Wandering(40 * 24, 1), testing::Wandering(40 * 24, 2)});
  const auto model = CalendarModel::Fit(frame, kNowhere);
  const auto saved = model.Save();
  const auto loaded = CalendarModel::Load(*io::Json::Parse(saved.Dump(), "saved.json"));
  ASSERT_TRUE(loaded) << loaded.error().Line();
  EXPECT_EQ(loaded->has_seasons(), model.has_seasons());
  EXPECT_EQ(loaded->Expected(frame, kNowhere, 900, 100).values, model.Expected(frame, kNowhere, 900, 100).values);

  for (const char* weights : {"", "AAAAAAAA8D8=", "?"}) {
    io::Json broken = saved;
    EXPECT_FALSE(CalendarModel::Load(broken.Set("weights", weights))) << weights;
  }
  io::Json broken = saved;
  EXPECT_FALSE(CalendarModel::Load(broken.Set("has_seasons", 1)));
  EXPECT_FALSE(CalendarModel::Load(io::Json{}));
}

}  // namespace
}  // namespace heliostat::auto_parts
