#include "heliostat/ui/report/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using signal::StepSeries;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kStart = std::chrono::sys_days{std::chrono::year{2024} / 1 / 1};

// Two days, low in the morning and high from noon.
std::vector<double> TwoDays() {
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(i % 24 < 12 ? 0 : 90);
  return values;
}

TEST(HeatMapTest, HasAColumnPerDayAndARunPerStretchOfHours) {
  const auto svg = *Render({.title = "Carbon", .unit = "g"}, *StepSeries::Make(kStart, 1h, TwoDays()));
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 2 24\""));
  EXPECT_THAT(svg, HasSubstr("class=\"h0\" d=\"M0.5 0v12M1.5 0v12\""));
  EXPECT_THAT(svg, HasSubstr("class=\"h8\" d=\"M0.5 12v12M1.5 12v12\""));
}

TEST(HeatMapTest, RowsFollowTheLocalClock) {
  const auto svg =
      *Render({.title = "Carbon", .unit = "g", .utc_offset_hours = -6}, *StepSeries::Make(kStart, 1h, TwoDays()));
  // 00-12 UTC is 18-24 of the day before and 0-6 of the day itself.
  EXPECT_THAT(svg, HasSubstr("class=\"h0\" d=\"M0.5 18v6M1.5 0v6M1.5 18v6M2.5 0v6\""));
}

TEST(HeatMapTest, MissingHoursStayEmpty) {
  auto values = TwoDays();
  values[3] = signal::Missing();
  const auto svg = *Render({.title = "Carbon", .unit = "g"}, *StepSeries::Make(kStart, 1h, values));
  EXPECT_THAT(svg, HasSubstr("d=\"M0.5 0v3M0.5 4v8M1.5 0v12\""));
}

TEST(HeatMapTest, ConstantOneHourAndNothing) {
  const auto one = *Render({.title = "t", .unit = "u"}, *StepSeries::Make(kStart, 1h, {5}));
  EXPECT_THAT(one, HasSubstr("d=\"M0.5 0v1\""));
  EXPECT_THAT(one, Not(HasSubstr("nan")));
  EXPECT_FALSE(Render({.title = "t", .unit = "u"}, *StepSeries::Make(kStart, 1h, {signal::Missing()})));
  EXPECT_FALSE(Render({.title = "t", .unit = "u"}, *StepSeries::Make(kStart, 5min, {1, 2})));
}

}  // namespace
}  // namespace heliostat::report
