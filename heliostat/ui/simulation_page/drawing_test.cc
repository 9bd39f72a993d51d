// Marks of the drawn figures: inside their canvas, as dark and as many as the numbers say.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "heliostat/planning/plan/testing/small_scenario.h"
#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/simulation_page/scatter.h"
#include "heliostat/ui/simulation_page/strip_figure.h"
#include "heliostat/ui/simulation_page/time_figure.h"

namespace heliostat::simulation_page {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Instant kStart = plan::testing::kStart;

int Count(const std::string& text, std::string_view word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// The x of every absolute move in paths of a class.
std::vector<double> MovesOf(const std::string& svg, const std::string& css) {
  std::vector<double> moves;
  const std::regex path("<path class=\"" + css + "\" d=\"M(-?[0-9.]+) ");
  for (std::sregex_iterator it(svg.begin(), svg.end(), path), end; it != end; ++it)
    moves.push_back(std::stod((*it)[1]));
  return moves;
}

TEST(TimeGridTest, TheLastStepMayEndEarly) {
  EXPECT_EQ((TimeGrid{{kStart, kStart + 6h}, 1h}.size()), 6U);
  EXPECT_EQ((TimeGrid{{kStart, kStart + 6h}, 4h}.size()), 2U);
  EXPECT_EQ((TimeGrid{{kStart, kStart + 1s}, 4h}.size()), 1U);
}

TEST(ThinnedTest, MissingValuesAreLeftOutOfMeans) {
  EXPECT_THAT(Thinned({1, kNaN, 3, 5}, 2), ElementsAre(1, 4));
  const auto all_missing = Thinned({kNaN, kNaN, 3}, 2);
  ASSERT_EQ(all_missing.size(), 2U);
  EXPECT_TRUE(std::isnan(all_missing[0]));
  EXPECT_EQ(all_missing[1], 3);  // a bucket that is not full
  EXPECT_TRUE(Thinned({}, 3).empty());
}

TEST(TimeFigureTest, DataListsLayersFromTheTopAndThenCurves) {
  TimeFigure figure{"k", "t", {{kStart, kStart + 2h}, 1h}, {}};
  Panel panel{"Power \"x\"", "kW", 100, {{"low", {1, 2}}, {"high", {3, kNaN}}}, {{"", {5, 6}}}};
  figure.panels.push_back(panel);
  EXPECT_EQ(
      DataOf(figure),
      fmt::format(R"({{"start":{},"step":3600,"end":{},"panels":[{{"title":"Power \u0022x\u0022","unit":"kW",)"
                  R"("stacked":2,"series":[{{"label":"high","values":[3,null]}},{{"label":"low","values":[1,2]}},)"
                  R"({{"label":"Power \u0022x\u0022","values":[5,6]}}]}}]}})",
                  kStart.time_since_epoch().count(), (kStart + 2h).time_since_epoch().count()));
}

TEST(TimeFigureTest, AnEmptyPanelHasAnAxisAndNoMarks) {
  TimeFigure figure{"k", "t", {{kStart, kStart + 2h}, 1h}, {Panel{"nothing", "kW"}}};
  const std::string svg = Render(figure, 500);
  EXPECT_EQ(report::XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("nothing"));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"mark area\"")));
}

TEST(TimeFigureTest, ALayerIsDrawnWhereItHasSomething) {
  TimeFigure figure{"k", "t", {{kStart, kStart + 2h}, 1h}, {}};
  figure.panels.push_back({"p", "kW", 100, {{"some", {1, 2}, Texture::kDotted}, {"none", {0, 0}, Texture::kRuled}}});
  const std::string svg = Render(figure, 500);
  EXPECT_EQ(Count(svg, "class=\"mark area\""), 1);
  EXPECT_THAT(svg, HasSubstr(fmt::format("fill=\"url(#t{})\"", static_cast<int>(Texture::kDotted))));
}

TEST(TimeFigureTest, WhatIsAboveTheCeilingIsDrawnAtIt) {
  const auto path = [](double high) {
    TimeFigure figure{"k", "t", {{kStart, kStart + 3h}, 1h}, {}};
    figure.panels.push_back({"p", "ms", 100, {}, {{"c", {1, high, 5}}}, 10.0});
    return Render(figure, 500);
  };
  EXPECT_EQ(path(1e6), path(1e9));
  EXPECT_EQ(path(1e6), path(std::numeric_limits<double>::infinity()));
  EXPECT_NE(path(1e6), path(5));
}

TEST(TimeFigureTest, EveryTextureHasAPattern) {
  const std::string patterns = PatternDefinitions();
  EXPECT_EQ(report::XmlCheck::Problem(patterns), "");
  for (int i = 0; i < kTextures; ++i) EXPECT_EQ(Count(patterns, fmt::format("id=\"t{}\"", i)), 1);
}

TEST(TimeFigureTest, LabelsAreText) {
  TimeFigure figure{"k", "<t>", {{kStart, kStart + 2h}, 1h}, {}};
  figure.panels.push_back({"<p>", "<u>", 100, {{"<l>", {1, 2}}}, {{"<c>", {1, 2}}}});
  const std::string svg = Render(figure, 500);
  EXPECT_EQ(report::XmlCheck::Problem(svg), "");
  for (const char* name : {"&lt;t&gt;", "&lt;p&gt;", "&lt;u&gt;", "&lt;l&gt;", "&lt;c&gt;"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
}

StripFigure Strips(std::vector<double> a, std::vector<double> b, bool from_zero) {
  StripFigure figure{"k", "t", {{kStart, kStart + 4h}, 1h}, {}};
  figure.groups.push_back({"g", "kW", {{"a", "", std::move(a)}, {"b", "", std::move(b)}}, from_zero});
  return figure;
}

TEST(StripFigureTest, StripsOfAGroupShareOneScale) {
  // The darkest shade is of the group's highest value, which only the second strip has.
  const std::string svg = Render(Strips({1, 1, 1, 1}, {9, 9, 9, 9}, true), 700);
  EXPECT_EQ(Count(svg, "class=\"mark h1\""), 1);
  EXPECT_EQ(Count(svg, "class=\"mark h8\""), 1);
}

TEST(StripFigureTest, ThePalestShadeIsNothingOrTheLeastThereIs) {
  EXPECT_EQ(Count(Render(Strips({8, 8, 8, 8}, {9, 9, 9, 9}, true), 700), "class=\"mark h0\""), 0);
  EXPECT_EQ(Count(Render(Strips({8, 8, 8, 8}, {9, 9, 9, 9}, false), 700), "class=\"mark h0\""), 1);
}

TEST(StripFigureTest, NeighboursOfOneShadeAreOneStrokeAndMissingOnesAreGaps) {
  const auto strokes = [](std::vector<double> values) {
    const std::string svg = Render(Strips(std::move(values), {9, 9, 9, 9}, true), 700);
    const std::size_t begin = svg.find("class=\"mark h8\"");
    const std::string path = svg.substr(begin, svg.find("/>", begin) - begin);
    return std::ranges::count(path, 'M');
  };
  EXPECT_EQ(strokes({9, 9, 9, 9}), 1);
  EXPECT_EQ(strokes({9, kNaN, 9, 9}), 2);
  EXPECT_EQ(strokes({9, 0, 9, 0}), 2);
}

TEST(StripFigureTest, NothingAtAllIsDrawnWithoutShades) {
  for (const double width : {300.0, 700.0}) {
    const std::string svg = Render(Strips({kNaN, kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN, kNaN}, true), width);
    EXPECT_EQ(report::XmlCheck::Problem(svg), "");
    EXPECT_THAT(svg, Not(HasSubstr("class=\"mark h")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(StripFigureTest, DataHasAPanelForEachGroup) {
  const std::string data = DataOf(Strips({1, 2, 3, 4}, {5, 6, 7, kNaN}, true));
  EXPECT_THAT(data, HasSubstr(R"("title":"g","unit":"kW","stacked":0)"));
  EXPECT_THAT(data, HasSubstr(R"({"label":"b","values":[5,6,7,null]})"));
}

RC_GTEST_PROP(ScatterLaws, EverySpotAndMarkIsInsideTheCanvas, ()) {
  Scatter scatter{"t", "kg", "y", true, {}};
  const auto number = [] { return *rc::gen::inRange(0, 1000) / 10.0; };
  const int count = *rc::gen::inRange(1, 14);
  for (int i = 0; i < count; ++i) scatter.spots.push_back({fmt::format("s{}", i), number(), number()});
  scatter.marks.push_back({"bound", number()});
  const double width = *rc::gen::element(356.0, 700.0, 960.0);
  const std::string svg = Render(scatter, width);
  const auto spots = MovesOf(svg, "mark spot(?: open)?");
  RC_ASSERT(spots.size() == scatter.spots.size());
  for (const double x : spots) RC_ASSERT(x >= 0 && x <= width);
  const auto marks = MovesOf(svg, "s5");
  RC_ASSERT(marks.size() == 1U);
  RC_ASSERT(marks[0] >= 0 && marks[0] <= width);
}

TEST(ScatterTest, LessXIsFurtherLeftAndEverySpotIsNamed) {
  const Scatter scatter{"t", "kg", "y", true, {{"a<", 1, 1}, {"b", 2, 5}, {"c", 9, 3}}};
  const std::string svg = Render(scatter, 700);
  EXPECT_EQ(report::XmlCheck::Problem(svg), "");
  const auto x = MovesOf(svg, "mark spot(?: open)?");
  ASSERT_EQ(x.size(), 3U);
  EXPECT_LT(x[0], x[1]);
  EXPECT_LT(x[1], x[2]);
  for (const char* name : {">a&lt;</text>", ">b</text>", ">c</text>"}) EXPECT_THAT(svg, HasSubstr(name));
  EXPECT_THAT(FrontOf(scatter), ElementsAre(0, 1));
}

TEST(ScatterTest, NoLineOfAMarkRunsThroughALabel) {
  Scatter scatter{"t", "kg", "y", true, {{"a", 50, 1}, {"b", 80, 5}}};
  scatter.marks = {{"second mark", 12}, {"first mark", 10}};  // closer than a label is wide
  const std::string svg = Render(scatter, 700);
  const std::regex line(R"(class="s5" d="M([0-9.]+) ([0-9.]+)V)");
  const std::regex label(R"re(<text class="name soft" x="([0-9.]+)" y="([0-9.]+)")re");
  std::vector<std::pair<double, double>> lines;
  std::vector<std::pair<double, double>> labels;
  const auto collect = [&](const std::regex& pattern, auto& into) {
    for (std::sregex_iterator found(svg.begin(), svg.end(), pattern), end; found != end; ++found) {
      into.emplace_back(std::stod((*found)[1]), std::stod((*found)[2]));
    }
  };
  collect(line, lines);
  collect(label, labels);
  ASSERT_EQ(lines.size(), 2U);
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_GT(labels[0].first + report::TextWidth("first mark"), lines[1].first) << "the case at hand";
  EXPECT_GT(lines[1].second, labels[0].second) << "the second line begins below the first label";
  EXPECT_LT(lines[0].first, labels[1].first) << "the first line passes left of the second label";
}

TEST(ScatterTest, OneSpotAloneIsAPicture) {
  const std::string svg = Render(Scatter{"t", "kg", "y", false, {{"only", 0, 0}}}, 356);
  EXPECT_EQ(report::XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace heliostat::simulation_page
