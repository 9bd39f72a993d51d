#include "heliostat/signals/provider/entsoe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace heliostat::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
const Instant kNow = At("2025-12-01T00:00Z");

std::string Point(int position, std::string_view price) {
  return fmt::format("<Point><position>{}</position><price.amount>{}</price.amount></Point>", position, price);
}

std::string Period(std::string_view start, std::string_view end, std::string_view resolution, std::string_view points) {
  return fmt::format(
      "<Period><timeInterval><start>{}</start><end>{}</end></timeInterval>"
      "<resolution>{}</resolution>{}</Period>",
      start, end, resolution, points);
}

std::string Series(std::string_view periods, std::string_view curve = "A03", std::string_view extra = "") {
  return fmt::format(
      "<TimeSeries><mRID>1</mRID><businessType>A62</businessType>"
      "<in_Domain.mRID codingScheme=\"A01\">10Y1001A1001A82H</in_Domain.mRID>"
      "<out_Domain.mRID codingScheme=\"A01\">10Y1001A1001A82H</out_Domain.mRID>"
      "<currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>"
      "{}<curveType>{}</curveType>{}</TimeSeries>",
      extra, curve, periods);
}

std::string Document(std::string_view series) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Publication_MarketDocument "
      "xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\"><mRID>x</mRID>"
      "<type>A44</type>{}</Publication_MarketDocument>",
      series);
}

Result<signal::Signal> Parse(const std::string& document, std::string_view from, std::string_view to) {
  return ParseEntsoePrices(document, {"DE-LU", signal::Kind::kPrice, {At(from), At(to)}}, kNow, AnswerRole::kMeasured);
}

TEST(EntsoeTest, RepeatsThePriceOfAPositionLeftOutOfAnA03Curve) {
  const auto body = Document(Series(Period("2025-10-05T22:00Z", "2025-10-05T23:30Z", "PT15M",
                                           Point(1, "196.99") + Point(2, "-5.1") + Point(5, "170.59"))));
  const auto signal = Parse(body, "2025-10-05T22:00Z", "2025-10-06T22:00Z");
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.step(), Duration{900});
  EXPECT_EQ(signal->series.start(), At("2025-10-05T22:00Z"));
  EXPECT_THAT(signal->series.values(), ElementsAre(196.99, -5.1, -5.1, -5.1, 170.59, 170.59));
  EXPECT_EQ(signal->meaning.currency, Currency::Eur());
}

TEST(EntsoeTest, LeavesAPositionLeftOutOfAnA01CurveMissing) {
  const auto body = Document(
      Series(Period("2025-09-05T22:00Z", "2025-09-06T01:00Z", "PT60M", Point(1, "10") + Point(3, "30")), "A01"));
  const auto signal = Parse(body, "2025-09-05T22:00Z", "2025-09-06T22:00Z");
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.size(), 3u);
  EXPECT_EQ(signal->series.missing(), 1u);
}

TEST(EntsoeTest, BringsHoursAndQuartersToQuarters) {
  const auto body =
      Document(Series(Period("2025-09-30T21:00Z", "2025-09-30T22:00Z", "PT60M", Point(1, "80"))) +
               Series(Period("2025-09-30T22:00Z", "2025-09-30T22:30Z", "PT15M", Point(1, "90") + Point(2, "95"))));
  const auto signal = Parse(body, "2025-09-30T21:00Z", "2025-10-01T21:00Z");
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_THAT(signal->series.values(), ElementsAre(80, 80, 80, 80, 90, 95));
}

TEST(EntsoeTest, TakesTheFirstAuctionWhereverItStands) {
  const auto number = [](int n) {
    return fmt::format(
        "<classificationSequence_AttributeInstanceComponent.position>{}"
        "</classificationSequence_AttributeInstanceComponent.position>",
        n);
  };
  const auto period = [](std::string_view price) {
    return Period("2025-10-05T22:00Z", "2025-10-05T22:30Z", "PT15M", Point(1, price));
  };
  const auto body = Document(Series(period("192.55"), "A03", number(2)) + Series(period("196.99"), "A03", number(1)));
  const auto signal = Parse(body, "2025-10-05T22:00Z", "2025-10-06T22:00Z");
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_THAT(signal->series.values(), ElementsAre(196.99, 196.99));
}

TEST(EntsoeTest, SaysThatThereIsNothing) {
  constexpr std::string_view kNothing =
      "<Acknowledgement_MarketDocument><mRID>x</mRID><Reason><code>{}</code>"
      "<text>No matching data found</text></Reason></Acknowledgement_MarketDocument>";
  const auto none = Parse(fmt::format(fmt::runtime(kNothing), 999), "2025-10-05", "2025-10-06");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Parse(fmt::format(fmt::runtime(kNothing), 1), "2025-10-05", "2025-10-06").error().code,
            ErrorCode::kCorrupt);
}

TEST(EntsoeTest, RefusesDocumentsThatContradictThemselves) {
  const auto period = [](std::string_view points, std::string_view resolution = "PT60M") {
    return Document(Series(Period("2025-10-05T22:00Z", "2025-10-06T00:00Z", resolution, points)));
  };
  auto in_zloty = period(Point(1, "1"));
  in_zloty.replace(in_zloty.find("EUR"), 3, "PLN");
  auto other_type = period(Point(1, "1"));
  other_type.replace(other_type.find("A44"), 3, "A65");
  for (const auto& [body, why] : std::vector<std::pair<std::string, std::string>>{
           {period(Point(0, "1")), "position is '0'"},
           {period(Point(3, "1")), "position is '3'"},
           {period(Point(2, "1")), "no position 1"},
           {period(Point(1, "1") + Point(1, "2")), "has two prices"},
           {period(Point(1, "1,5")), "must be a number"},
           {period(Point(1, "1"), "P1D"), "resolution"},
           {Document(Series(Period("2025-10-06T22:00Z", "2025-10-05T22:00Z", "PT60M", Point(1, "1")))), "whole steps"},
           {Document(Series(Period("0001-10-06T22:00Z", "9999-10-05T22:00Z", "PT60M", Point(1, "1")))), "whole steps"},
           {Document(Series(Period("2025-10-05T22:00Z", "2025-10-06T00:00Z", "PT60M", Point(1, "1")), "A05")), "A03"},
           {in_zloty, "PLN"},
           {other_type, "A65"}}) {
    const auto signal = Parse(body, "2025-10-05", "2025-10-07");
    ASSERT_FALSE(signal) << why;
    EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt) << signal.error().Line();
    EXPECT_THAT(signal.error().Line(), HasSubstr(why));
  }
}

TEST(EntsoeTest, RefusesAShortDocumentOfALongTime) {
  const auto year = Period("2024-01-01T00:00Z", "2025-01-01T00:00Z", "PT15M", Point(1, "1"));
  EXPECT_TRUE(Parse(Document(Series(year)), "2024-01-01", "2025-01-01"));
  const auto decade = Parse(Document(Series(year + year + year + year)), "2024-01-01", "2025-01-01");
  ASSERT_FALSE(decade);
  EXPECT_EQ(decade.error().code, ErrorCode::kCorrupt);
  const auto series = Series(year);
  EXPECT_FALSE(Parse(Document(series + series + series + series), "2024-01-01", "2025-01-01"));
}

// The last character of an EIC code is a check digit: sum of value times weight 16 to 2, modulo 37.
TEST(EntsoeTest, ItsZoneCodesAreWellFormed) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-";
  EXPECT_GT(EntsoeZones().size(), 30u);
  for (const auto& [name, eic] : EntsoeZones()) {
    ASSERT_EQ(eic.size(), 16u) << name;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 15; ++i) sum += kDigits.find(eic[i]) * (16 - i);
    EXPECT_EQ(kDigits[36 - (sum - 1) % 37], eic[15]) << name;
  }
}

TEST(EntsoeTest, TakesAnEicCodeForAZone) {
  const auto body = Document(Series(Period("2025-10-05T22:00Z", "2025-10-05T23:00Z", "PT15M", Point(1, "1"))));
  SignalRequest request{"10Y1001A1001A82H", signal::Kind::kPrice, {At("2025-10-05"), At("2025-10-07")}};
  EXPECT_TRUE(ParseEntsoePrices(body, request, kNow, AnswerRole::kMeasured));
  request.zone = "Atlantis";
  EXPECT_EQ(ParseEntsoePrices(body, request, kNow, AnswerRole::kMeasured).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace heliostat::provider
