#include "heliostat/ui/report/zones_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ZonesPageTest, ShowsEveryZoneAndIsWellFormed) {
  const auto page = *ZonesPage({.year = 2024, .seed = 3}, {});
  EXPECT_EQ(XmlCheck::Problem(page), "");
  EXPECT_THAT(page, HasSubstr("Year 2024, seed 3"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, HasSubstr("is the cleanest"));
  for (const auto& zone : synthetic::Zones()) {
    EXPECT_THAT(page, HasSubstr("<h2 id=\"" + std::string(zone.name) + "\">"));
    EXPECT_THAT(page, HasSubstr(std::string(zone.description)));
  }
}

TEST(ZonesPageTest, AYearOutsideTheModelIsAnError) {
  EXPECT_FALSE(ZonesPage({.year = 1800}, {}));
  EXPECT_FALSE(ZonesText({.year = 9000}, {}));
}

TEST(ZonesTextTest, HasFourLinesForEveryZoneWithinTheWidth) {
  const auto text = *ZonesText({}, {.width = 76, .is_utf8 = false});
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    EXPECT_LE(end - begin, 76U) << text.substr(begin, end - begin);
    if (text.substr(begin, 2) == "  ") ++lines;
    begin = end + 1;
  }
  EXPECT_EQ(lines, 4 * synthetic::Zones().size());
}

TEST(ZoneYearTest, DayShapeFollowsTheLocalClock) {
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(i % 24 == 12 ? 10 : 0);
  const auto series = *signal::StepSeries::Make(Instant{}, 1h, values);
  EXPECT_EQ(DayShapeOf(series, 0).mean[12], 10);
  EXPECT_EQ(DayShapeOf(series, -8).mean[4], 10);
  EXPECT_EQ(DayShapeOf(series, 10).high[22], 10);
}

TEST(ZoneYearTest, SpreadOfKnownValues) {
  const YearSpread spread = SpreadOf(std::vector<double>{-1, 3, signal::Missing(), 1, 5});
  EXPECT_EQ(spread.mean, 2);
  EXPECT_EQ(spread.median, 2);
  EXPECT_EQ(spread.lowest, -1);
  EXPECT_EQ(spread.highest, 5);
  EXPECT_EQ(spread.negative, 0.25);
  EXPECT_NEAR(spread.deviation, 2.236, 0.001);
}

}  // namespace
}  // namespace heliostat::report
