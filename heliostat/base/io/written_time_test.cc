#include "heliostat/base/io/written_time.h"

#include <gtest/gtest.h>

namespace heliostat::io {
namespace {

// The time as UTC text, with "?" when it does not know its zone.
std::string Read(std::string_view text, DateOrder order = DateOrder::kUnknown) {
  const auto time = ParseWrittenTime(text, order);
  if (!time) return "none";
  const Instant t = Instant{time->local.time_since_epoch()} - time->utc_offset.value_or(std::chrono::minutes{0});
  std::string told = FormatInstant(t).substr(0, 16);
  return told + (time->utc_offset ? "Z" : time->has_time_of_day ? "?" : " day");
}

TEST(WrittenTimeTest, ReadsTimesAsPublishersWriteThem) {
  const std::pair<std::string_view, std::string_view> cells[] = {
      {"2023-03-26T01:00:00Z", "2023-03-26T01:00Z"},
      {"2023-03-26 01:00:00+02:00", "2023-03-25T23:00Z"},
      {"2023-03-26T01:00:00.000+0100", "2023-03-26T00:00Z"},
      {"2023/03/26 1:05", "2023-03-26T01:05?"},
      {"26.03.2023 01:00", "2023-03-26T01:00?"},
      {"26.03.23 01:00", "2023-03-26T01:00?"},
      {"01.02.2023 00:00 - 01.02.2023 01:00", "2023-02-01T00:00?"},
      {"29/10/2023 02:00:00 (CEST) - 29/10/2023 02:00:00 (CET)", "2023-10-29T00:00Z"},
      {"13/03/2023 05:00", "2023-03-13T05:00?"},
      {"03/13/2023 05:00", "2023-03-13T05:00?"},
      {"1/1/2023 1 a.m. EST", "2023-01-01T06:00Z"},
      {"1/1/2023 12:00:00 AM", "2023-01-01T00:00?"},
      {"12/31/2023 11:30 PM", "2023-12-31T23:30?"},
      {"20230101", "2023-01-01T00:00 day"},
      {"20230101T0030Z", "2023-01-01T00:30Z"},
      {"20160101:0010", "2016-01-01T00:10?"},
      {"202301012330", "2023-01-01T23:30?"},
      {"1672531200", "2023-01-01T00:00Z"},
      {"1672531200000", "2023-01-01T00:00Z"},
      {"1672531200.0", "2023-01-01T00:00Z"},
      {"9999999999999999999", "none"},
      {"01-Jan-2023 24:00", "2023-01-02T00:00?"},
      {"Jan 5, 2023 3:00 pm", "2023-01-05T15:00?"},
      {"Sun, 01 Jan 2023 00:00:00 GMT", "2023-01-01T00:00Z"},
      {"2023-01-01T00:00Z/2023-01-01T00:30Z", "2023-01-01T00:00Z"},
      {"2023-01-01", "2023-01-01T00:00 day"},
      {"45.123", "none"},
      {"2023", "none"},
      {"144306", "none"},
      {"2023-02-30", "none"},
      {"2023-01-01 25:00", "none"},
      {"2023-01-01 00:00 XST", "none"},
      {"noon", "none"},
      {"", "none"},
  };
  for (const auto& [cell, told] : cells) EXPECT_EQ(Read(cell), told) << cell;
}

TEST(WrittenTimeTest, OnlyAnOrderDecidesBetweenDayAndMonth) {
  EXPECT_EQ(Read("03/04/2023 00:00", DateOrder::kDayFirst), "2023-04-03T00:00?");
  EXPECT_EQ(Read("03/04/2023 00:00", DateOrder::kMonthFirst), "2023-03-04T00:00?");
  EXPECT_TRUE(ParseWrittenTime("03/04/2023", DateOrder::kUnknown)->depends_on_order);
  EXPECT_FALSE(ParseWrittenTime("03.04.2023", DateOrder::kUnknown)->depends_on_order);
  EXPECT_FALSE(ParseWrittenTime("2023-04-03", DateOrder::kUnknown)->depends_on_order);
  EXPECT_EQ(Read("13/04/2023", DateOrder::kMonthFirst), "none");
}

TEST(WrittenTimeTest, ReadsTimesOfDay) {
  EXPECT_EQ(ParseTimeOfDay("00:30"), Duration{1800});
  EXPECT_EQ(ParseTimeOfDay("1:00 PM"), Duration{13 * 3600});
  EXPECT_EQ(ParseTimeOfDay("13h00"), Duration{13 * 3600});
  EXPECT_EQ(ParseTimeOfDay("24:00"), Duration{86400});
  EXPECT_EQ(ParseTimeOfDay("00 - 01"), Duration{0});
  EXPECT_EQ(ParseTimeOfDay("23-24"), Duration{23 * 3600});
  EXPECT_EQ(ParseTimeOfDay("0:75"), std::nullopt);
  EXPECT_EQ(ParseTimeOfDay("x"), std::nullopt);
}

}  // namespace
}  // namespace heliostat::io
