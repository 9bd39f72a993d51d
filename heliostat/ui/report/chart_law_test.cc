#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "heliostat/ui/report/bar_chart.h"
#include "heliostat/ui/report/gantt_chart.h"
#include "heliostat/ui/report/heat_map.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/line_chart.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using ::testing::HasSubstr;
using ::testing::Not;

struct Point {
  double x, y;
};

// The points of every path that has one of the six colours of lines.
std::vector<std::vector<Point>> LinesIn(const std::string& svg) {
  static const std::regex kPath(R"re(<path class="s[0-5]" d="([^"]*)")re");
  static const std::regex kPair(R"re((-?[0-9.]+) (-?[0-9.]+))re");
  std::vector<std::vector<Point>> lines;
  for (auto path = std::sregex_iterator(svg.begin(), svg.end(), kPath); path != std::sregex_iterator(); ++path) {
    const std::string data = (*path)[1];
    auto& line = lines.emplace_back();
    for (auto pair = std::sregex_iterator(data.begin(), data.end(), kPair); pair != std::sregex_iterator(); ++pair) {
      line.push_back({std::stod((*pair)[1]), std::stod((*pair)[2])});
    }
  }
  return lines;
}

std::vector<double> NumbersOf(const std::string& svg, const char* pattern) {
  std::vector<double> numbers;
  const std::regex expression(pattern);
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), expression); found != std::sregex_iterator();
       ++found) {
    numbers.push_back(std::stod((*found)[1]));
  }
  return numbers;
}

std::vector<double> AnyValues(std::size_t count) {
  std::vector<double> values;
  const int size = *rc::gen::inRange(-3, 5);
  for (std::size_t i = 0; i < count; ++i) values.push_back(*rc::gen::inRange(-999, 1000) * std::pow(10.0, size));
  return values;
}

RC_GTEST_PROP(LineChartLaw, EveryPointLiesInsideTheFrameAndHigherValuesLieHigher, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(2, 30);
  LineChart chart;
  chart.title = "t <1>";
  chart.unit = "kW";
  chart.x = LineChart::X::kNumber;
  chart.from_zero = *rc::gen::arbitrary<bool>();
  chart.width = *rc::gen::inRange(300, 900);
  chart.height = *rc::gen::inRange(150, 400);
  Line line{"a", {}, AnyValues(count)};
  for (std::size_t i = 0; i < count; ++i) line.x.push_back(static_cast<double>(i));
  chart.lines = {line};
  const std::string svg = *Render(chart);
  RC_ASSERT(XmlCheck::Problem(svg).empty());
  const auto lines = LinesIn(svg);
  std::vector<Point> points;
  for (const auto& drawn : lines) {
    if (drawn.size() == count) points = drawn;
  }
  RC_ASSERT(points.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(points[i].x >= 0.0 && points[i].x <= chart.width);
    RC_ASSERT(points[i].y >= 0.0 && points[i].y <= chart.height - 36 + 0.1);
    for (std::size_t k = 0; k < i; ++k) {
      RC_ASSERT(points[k].x <= points[i].x);
      if (line.y[k] > line.y[i]) RC_ASSERT(points[k].y <= points[i].y);
    }
  }
}

TEST(LineChartTest, AMissingValueBreaksTheLineInTwo) {
  LineChart chart;
  chart.title = "t";
  chart.x = LineChart::X::kNumber;
  chart.lines = {{"", {0, 1, 2, 3, 4}, {1, 2, Missing(), 2, 1}}};
  const std::string svg = *Render(chart);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  std::size_t moves = 0;
  const auto lines = LinesIn(svg);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].size(), 4U);
  const auto path = svg.find("<path class=\"s0\"");
  const auto data = svg.substr(path, svg.find("/>", path) - path);
  for (const char c : data) moves += c == 'M' ? 1 : 0;
  EXPECT_EQ(moves, 2U);
}

TEST(LineChartTest, StepsHoldTheirValueToTheirEnd) {
  const Line line = StepsOf("s", *signal::StepSeries::Make(Instant{}, 1h, {5, 7}), Colour::kGreen);
  EXPECT_EQ(line.x, (std::vector<double>{0, 3600, 3600, 7200}));
  EXPECT_EQ(line.y, (std::vector<double>{5, 5, 7, 7}));
  EXPECT_EQ(line.colour, Colour::kGreen);
}

RC_GTEST_PROP(BarChartLaw, BarsAreInProportionAndInsideThePicture, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  const std::vector<double> values = AnyValues(count);
  BarChart chart{"t & t", "kg", {}, 600};
  for (std::size_t i = 0; i < count; ++i) chart.bars.push_back({fmt::format("bar {}", i), values[i]});
  const std::string svg = *Render(chart);
  RC_ASSERT(XmlCheck::Problem(svg).empty());
  const auto x = NumbersOf(svg, "rect class=\"f0\" x=\"(-?[0-9.]+)\"");
  const auto width = NumbersOf(svg, "rect class=\"f0\" x=\"[^\"]*\" y=\"[^\"]*\" width=\"(-?[0-9.]+)\"");
  RC_ASSERT(x.size() == count && width.size() == count);
  double longest = 0;
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    longest = std::max(longest, width[i]);
    most = std::max(most, std::abs(values[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(x[i] >= 0.0 && x[i] + width[i] <= chart.width);
    if (most > 0) RC_ASSERT(std::abs(width[i] - longest * std::abs(values[i]) / most) <= 0.25);
  }
}

constexpr Instant kMonday = std::chrono::sys_days{std::chrono::year{2024} / 1 / 8};

RC_GTEST_PROP(GanttChartLaw, BarsAreCutToTheSpanAndShareItsScale, ()) {
  GanttChart chart;
  chart.title = "Jobs";
  chart.shade_name = "workers";
  chart.shades = {"1", "2", "4"};
  chart.span = {kMonday, kMonday + 24h};
  const int rows = *rc::gen::inRange(1, 100);
  std::vector<Interval> shown;
  for (int i = 0; i < rows; ++i) {
    const Instant begin = kMonday + Duration{*rc::gen::inRange(-40000, 100000)};
    const Instant end = begin + Duration{*rc::gen::inRange(600, 50000)};
    chart.rows.push_back({fmt::format("job <{}>", i), std::nullopt, {{{begin, end}, 1, "a & b"}}});
    const Interval inside = Interval{begin, end}.Intersect(chart.span);
    if (!inside.empty()) shown.push_back(inside);
  }
  const std::string svg = *Render(chart);
  RC_ASSERT(XmlCheck::Problem(svg).empty());
  static const std::regex kBar(R"re(<path class="h[0-9]" d="M(-?[0-9.]+) (-?[0-9.]+)h([0-9.]+)"[^/>]*><title>)re");
  std::size_t drawn = 0;
  double per_second = 0;
  for (auto bar = std::sregex_iterator(svg.begin(), svg.end(), kBar); bar != std::sregex_iterator(); ++bar) {
    const double x = std::stod((*bar)[1]);
    const double width = std::stod((*bar)[3]);
    RC_ASSERT(drawn < shown.size());
    RC_ASSERT(x >= 0.0 && x + width <= chart.width - 12 + 0.6);
    const auto seconds = static_cast<double>(shown[drawn].length().count());
    if (seconds > 20000) {
      if (per_second == 0) per_second = width / seconds;
      RC_ASSERT(std::abs(width - per_second * seconds) <= 0.6);
    }
    ++drawn;
  }
  RC_ASSERT(drawn == shown.size());
}

TEST(GanttChartTest, ALongLabelIsCutBetweenCharactersAndEndsInDots) {
  GanttChart chart;
  chart.title = "t";
  chart.span = {kMonday, kMonday + 1h};
  chart.rows = {{std::string(10, 'a') + "öööööööööööööööööööööööööööööööööö", std::nullopt, {}}};
  const std::string svg = *Render(chart);
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("ö…</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("\xEF\xBF\xBD"))) << "no character is cut in half";
}

RC_GTEST_PROP(HeatMapLaw, EveryKnownHourIsDrawnOnce, ()) {
  const auto hours = *rc::gen::inRange<std::size_t>(1, 200);
  std::vector<double> values = AnyValues(hours);
  std::size_t known = 0;
  for (std::size_t i = 0; i < hours; ++i) {
    if (i > 0 && *rc::gen::inRange(0, 5) == 0) values[i] = Missing();
    known += signal::IsMissing(values[i]) ? 0 : 1;
  }
  const int offset = *rc::gen::inRange(-12, 13);
  const std::string svg =
      *Render({.title = "t", .unit = "u", .utc_offset_hours = offset}, *signal::StepSeries::Make(kMonday, 1h, values));
  RC_ASSERT(XmlCheck::Problem(svg).empty());
  double drawn = 0;
  for (const double run : NumbersOf(svg, "M[0-9]+[.]5 [0-9]+v([0-9]+)")) drawn += run;
  RC_ASSERT(drawn == static_cast<double>(known));
}

RC_GTEST_PROP(PageLaw, AnyTextsMakeAWellFormedPage, ()) {
  const auto text = [] { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); };
  Page page({text(), text(), {text(), {{text(), text(), text()}}, {text()}}});
  page.Heading(text(), text());
  page.Paragraph(text());
  page.Note(text());
  page.Contents(std::vector<Link>{{text(), text()}});
  page.Add(HtmlTable{.header = {text(), text()}, .rows = {{text(), text()}}});
  page.Grid(std::vector<std::string>{"<svg/>", "<svg/>"});
  RC_ASSERT(XmlCheck::Problem(std::move(page).Finish({text(), text()})).empty());
}

TEST(PageTest, OnlyTheFirstColumnsAreText) {
  Page page({"t", "s", {"a"}});
  page.Add(HtmlTable{.header = {"a", "b", "c"}, .rows = {{"x", "y", "1"}}, .text_columns = 2});
  EXPECT_THAT(std::move(page).Finish({}),
              HasSubstr("<tr><td class=\"text short\">x</td><td class=\"text short\">y</td><td>1</td></tr>"));
}

}  // namespace
}  // namespace heliostat::report
