#include "heliostat/ui/report/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using ::testing::HasSubstr;
using ::testing::Not;

LineChart Chart(std::vector<double> y) {
  LineChart chart;
  chart.title = "Load";
  chart.unit = "kW";
  chart.x = LineChart::X::kNumber;
  chart.width = 200;
  chart.height = 110;
  Line line{"", {}, std::move(y), Colour::kBlue};
  for (std::size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(i));
  chart.lines = {line};
  return chart;
}

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Path data of the first stroke.
std::string PathOf(const std::string& svg) {
  const auto begin = svg.find(" d=\"") + 4;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

TEST(LineChartTest, DrawsThisPicture) {
  EXPECT_EQ(*Render(Chart({0, 10, 5})),
            R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="200" height="110" viewBox="0 0 200 110" )"
            R"(role="img" font-family="system-ui, sans-serif" font-size="11">
<title>Load</title>
<text class="title" x="0" y="14" text-anchor="start" fill="#4b5563">Load</text>
<text class="label" x="35.7" y="14" text-anchor="start" fill="#4b5563">kW</text>
<line class="grid" x1="22.6" y1="74" x2="188" y2="74" stroke="#d5d9df"/>
<text class="label" x="16.6" y="78" text-anchor="end" fill="#4b5563">0</text>
<line class="grid" x1="22.6" y1="52" x2="188" y2="52" stroke="#d5d9df"/>
<text class="label" x="16.6" y="56" text-anchor="end" fill="#4b5563">5</text>
<line class="grid" x1="22.6" y1="30" x2="188" y2="30" stroke="#d5d9df"/>
<text class="label" x="16.6" y="34" text-anchor="end" fill="#4b5563">10</text>
<line class="grid" x1="22.6" y1="74" x2="22.6" y2="78" stroke="#d5d9df"/>
<text class="label" x="22.6" y="90" text-anchor="middle" fill="#4b5563">0</text>
<line class="grid" x1="105.3" y1="74" x2="105.3" y2="78" stroke="#d5d9df"/>
<text class="label" x="105.3" y="90" text-anchor="middle" fill="#4b5563">1</text>
<line class="grid" x1="188" y1="74" x2="188" y2="78" stroke="#d5d9df"/>
<text class="label" x="188" y="90" text-anchor="middle" fill="#4b5563">2</text>
<text class="label" x="188" y="104" text-anchor="end" fill="#4b5563"></text>
<path class="s0" d="M22.6 74L105.3 30L188 52" fill="none" stroke="#1f6fb4" stroke-width="1.5" stroke-linejoin="round"/>
</svg>
)");
}

TEST(LineChartTest, AGapBreaksTheLine) {
  const auto svg = *Render(Chart({1, 2, Missing(), 3, 2}));
  EXPECT_EQ(Count(PathOf(svg), "M"), 2);
  EXPECT_EQ(Count(PathOf(svg), "L"), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(LineChartTest, APointBetweenGapsIsADot) {
  const auto svg = *Render(Chart({1, 2, Missing(), 3, Missing()}));
  EXPECT_EQ(Count(svg, "<circle"), 1);
}

TEST(LineChartTest, OnePointAndAConstantAreDrawn) {
  const auto point = *Render(Chart({7}));
  EXPECT_EQ(Count(point, "<circle"), 1);
  const auto constant = *Render(Chart({7, 7, 7}));
  for (const auto& svg : {point, constant}) {
    EXPECT_EQ(XmlCheck::Problem(svg), "");
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(LineChartTest, NothingKnownIsAnErrorThatNamesTheChart) {
  for (const auto& values : {std::vector<double>{}, std::vector<double>{Missing(), Missing()}}) {
    const auto svg = Render(Chart(values));
    ASSERT_FALSE(svg);
    EXPECT_THAT(svg.error().Line(), HasSubstr("chart 'Load': has no known value"));
  }
  LineChart empty = Chart({});
  empty.lines.clear();
  EXPECT_FALSE(Render(empty));
}

TEST(LineChartTest, ColumnsOfDifferentLengthsAreRefused) {
  LineChart chart = Chart({1, 2});
  chart.lines[0].x.push_back(9);
  EXPECT_THAT(Render(chart).error().Line(), HasSubstr("has 3 x and 2 y"));
  chart = Chart({1, 2});
  chart.bands = {{"range", {0, 1}, {1}, {2, 3}, Colour::kBlue}};
  EXPECT_THAT(Render(chart).error().Line(), HasSubstr("band 'range'"));
}

TEST(LineChartTest, HostileTextStaysText) {
  LineChart chart = Chart({1, 2});
  chart.title = "</title><script>";
  chart.unit = "a\"b";
  chart.lines[0].label = "<b>&";
  const auto svg = *Render(chart);
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;"));
}

TEST(LineChartTest, ManyPointsAreThinnedButNoSpikeIsLost) {
  std::vector<double> y(100000, 1.0);
  y[54321] = 50;
  const auto svg = *Render(Chart(y));
  EXPECT_LT(svg.size(), 20000U);
  EXPECT_EQ(Count(PathOf(svg), " 37.3"), 1) << "the spike reaches 50 on an axis of 0 .. 60 between 74 and 30 px";
}

TEST(LineChartTest, ThinnedLinesKeepTheirGaps) {
  std::vector<double> y(100000, 1.0);
  for (std::size_t i = 40000; i < 60000; ++i) y[i] = Missing();
  EXPECT_EQ(Count(PathOf(*Render(Chart(y))), "M"), 2);
}

TEST(LineChartTest, ASignalIsDrawnAsStepsOnATimeAxis) {
  const Instant start = std::chrono::sys_days{std::chrono::year{2024} / 5 / 1};
  const auto series = *signal::StepSeries::Make(start, 12h, {1, 3, Missing(), 2});
  LineChart chart;
  chart.title = "Signal";
  chart.lines = {StepsOf("measured", series, Colour::kGreen)};
  const auto svg = *Render(chart);
  EXPECT_THAT(svg, HasSubstr(">2 May<"));
  EXPECT_THAT(svg, HasSubstr("UTC, 2024-05-01 to 2024-05-02"));
  EXPECT_THAT(svg, HasSubstr(">measured<"));
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_EQ(chart.lines[0].y.size(), 8U);
  EXPECT_EQ(chart.lines[0].x[1], chart.lines[0].x[2]) << "a step is vertical";
}

TEST(LineChartTest, ABandHasHolesWhereEitherEdgeIsMissing) {
  LineChart chart = Chart({1, 2, 3, 4});
  chart.bands = {{"range", {0, 1, 2, 3}, {0, 1, Missing(), 3}, {2, 3, 4, 5}, Colour::kBlue}};
  chart.lines.clear();
  const auto svg = *Render(chart);
  const auto fill = svg.substr(svg.rfind("<path"));
  EXPECT_EQ(Count(fill, "M"), 2);
}

// The height of the plot is told by its first grid line, which the legend must not cover.
TEST(LineChartTest, ALegendTooWideForTheTitleTakesRowsOfItsOwn) {
  LineChart few = Chart({0, 10});
  few.lines[0].label = "one";
  LineChart many = few;
  for (int i = 0; i < 12; ++i) many.lines.push_back({"another model", {0, 1}, {1, 2}, Colour::kGreen, Pen::kDashed});
  EXPECT_THAT(*Render(few), HasSubstr("y1=\"30\""));
  const auto svg = *Render(many);
  EXPECT_THAT(svg, Not(HasSubstr("y1=\"30\"")));
  EXPECT_EQ(Count(svg, ">another model<"), 12);
  EXPECT_THAT(svg, Not(HasSubstr("x=\"-")));
}

TEST(LineChartTest, ChartsThatReserveRoomBeginAtTheSamePlace) {
  LineChart small = Chart({0, 10});
  LineChart large = Chart({0, 10000});
  EXPECT_NE(PathOf(*Render(small)).substr(0, 5), PathOf(*Render(large)).substr(0, 5));
  small.axis_room = 60;
  large.axis_room = 60;
  EXPECT_EQ(PathOf(*Render(small)).substr(0, 5), "M60 7");
  EXPECT_EQ(PathOf(*Render(large)).substr(0, 5), "M60 7");
}

TEST(LineChartTest, MarksStandUpright) {
  LineChart chart = Chart({0, 10, 5});
  chart.marks = {1};
  EXPECT_THAT(*Render(chart), HasSubstr("class=\"zero\" x1=\"105.3\" y1=\"30\" x2=\"105.3\" y2=\"74\""));
}

}  // namespace
}  // namespace heliostat::report
