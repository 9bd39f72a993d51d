#include "heliostat/signals/signal_files/hour_columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::signal_files {
namespace {

using Names = std::vector<std::string>;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Names Numbered(const std::string& before, int first, int last, const std::string& after = "") {
  Names names{"Date", "Zone"};
  for (int hour = first; hour <= last; ++hour) names.push_back(before + fmt::format("{}", hour) + after);
  return names;
}

TEST(HourColumnsTest, FindsTheHoursOfADayByTheirNames) {
  for (const char* before : {"HE ", "HE", "Hour ", "Hour Ending ", "H", "h_", ""}) {
    const auto hours = HoursIn(Numbered(before, 1, 24));
    ASSERT_THAT(hours, SizeIs(24)) << before;
    EXPECT_EQ(hours[0].index, 2U);
    EXPECT_EQ(hours[23].label, "24");
  }
  EXPECT_THAT(HoursIn(Numbered("", 0, 23, ":00")), SizeIs(24));
  Names ranges;
  Names ends;
  for (int hour = 0; hour < 24; ++hour) {
    ranges.push_back(fmt::format("{:02}-{:02}", hour, hour + 1));
    ends.push_back(fmt::format("HE{:02}00", hour + 1));
  }
  EXPECT_THAT(HoursIn(ranges), SizeIs(24));
  EXPECT_THAT(HoursIn(ends), SizeIs(24));
}

TEST(HourColumnsTest, DaysOnWhichClocksChangeHaveOneMoreOrLess) {
  EXPECT_THAT(HoursIn(Numbered("HE", 1, 23)), SizeIs(23));
  const auto longer = HoursIn(Numbered("HE", 1, 25));
  ASSERT_THAT(longer, SizeIs(25));
  EXPECT_FALSE(longer[22].may_be_absent);
  EXPECT_TRUE(longer[23].may_be_absent);
  EXPECT_TRUE(longer[24].may_be_absent);
  Names twice = Numbered("HE", 1, 24);
  twice.insert(twice.begin() + 4, "HE2X");
  ASSERT_THAT(HoursIn(twice), SizeIs(25));
  EXPECT_EQ(HoursIn(twice)[2].label, "2X");
  Names once = Numbered("HE", 1, 24);
  once.erase(once.begin() + 4);
  EXPECT_THAT(HoursIn(once), SizeIs(23));
}

TEST(HourColumnsTest, OtherNumberedColumnsAreNotHours) {
  EXPECT_THAT(HoursIn(Numbered("PV", 1, 24)), IsEmpty());
  EXPECT_THAT(HoursIn(Numbered("HE", 1, 22)), IsEmpty());
  EXPECT_THAT(HoursIn(Numbered("HE", 1, 48)), IsEmpty());
  EXPECT_THAT(HoursIn(Numbered("HE", 2, 25)), IsEmpty());
  EXPECT_THAT(HoursIn(Numbered("", 1, 24, ".5")), IsEmpty());
  Names both = Numbered("HE", 1, 24);
  for (int hour = 1; hour <= 24; ++hour) both.push_back(fmt::format("Hour {}", hour));
  EXPECT_THAT(HoursIn(both), IsEmpty());
  EXPECT_THAT(HoursIn({}), IsEmpty());
}

}  // namespace
}  // namespace heliostat::signal_files
