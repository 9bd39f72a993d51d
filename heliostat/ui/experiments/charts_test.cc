#include "heliostat/ui/experiments/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every number that the pattern's groups catch.
std::vector<double> NumbersOf(const std::string& svg, const char* pattern) {
  std::vector<double> numbers;
  const std::regex expression(pattern);
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), expression); found != std::sregex_iterator();
       ++found) {
    for (std::size_t group = 1; group < found->size(); ++group) numbers.push_back(std::stod((*found)[group]));
  }
  return numbers;
}

std::vector<double> AnyValues() {
  const auto raw =
      *rc::gen::nonEmpty(rc::gen::resize(12, rc::gen::container<std::vector<int>>(rc::gen::inRange(-100000, 100000))));
  std::vector<double> values(raw.begin(), raw.end());
  for (double& value : values) value /= 100.0;
  return values;
}

RC_GTEST_PROP(SpreadLaw, IsOrderedInsideItsValuesAndMovesWithThem, ()) {
  const std::vector<double> values = AnyValues();
  const Spread spread = SpreadOf(values);
  RC_ASSERT(spread.count == values.size());
  RC_ASSERT(spread.least == *std::ranges::min_element(values));
  RC_ASSERT(spread.most == *std::ranges::max_element(values));
  RC_ASSERT(spread.least <= spread.low && spread.low <= spread.high && spread.high <= spread.most);
  RC_ASSERT(spread.mean >= spread.least - 1e-9 && spread.mean <= spread.most + 1e-9);
  std::vector<double> moved = values;
  for (double& value : moved) value = 2.0 * value + 5.0;
  const Spread other = SpreadOf(moved);
  RC_ASSERT(std::abs(other.mean - (2.0 * spread.mean + 5.0)) < 1e-8);
  RC_ASSERT(std::abs(other.low - (2.0 * spread.low + 5.0)) < 1e-8);
  RC_ASSERT(std::abs(other.high - (2.0 * spread.high + 5.0)) < 1e-8);
}

RC_GTEST_PROP(SpreadLaw, QuantilesRiseFromTheLeastToTheMost, ()) {
  std::vector<double> sorted = AnyValues();
  std::ranges::sort(sorted);
  RC_ASSERT(QuantileOf(sorted, 0.0) == sorted.front());
  RC_ASSERT(QuantileOf(sorted, 1.0) == sorted.back());
  double before = sorted.front();
  for (int i = 1; i <= 20; ++i) {
    const double now = QuantileOf(sorted, i / 20.0);
    RC_ASSERT(now >= before - 1e-9);
    before = now;
  }
}

TEST(SpreadTest, AQuantileLiesBetweenNeighboursInProportion) {
  EXPECT_DOUBLE_EQ(QuantileOf({1.0, 3.0}, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(QuantileOf({1.0, 3.0, 4.0}, 0.5), 3.0);
  EXPECT_EQ(QuantileOf({}, 0.5), 0.0);
  EXPECT_EQ(MeanOf({}), 0.0);
}

RC_GTEST_PROP(SpreadChartLaw, EveryMarkLiesInsideThePictureAndInItsPlace, ()) {
  SpreadChart chart{"Title & more", "%", {"one", "two"}, {}, 720};
  const int rows = *rc::gen::inRange(1, 5);
  std::vector<Spread> drawn;
  for (int i = 0; i < rows; ++i) {
    SpreadChart::Row row{"row <" + std::to_string(i) + ">", {SpreadOf(AnyValues()), SpreadOf(AnyValues())}};
    drawn.insert(drawn.end(), row.spreads.begin(), row.spreads.end());
    chart.rows.push_back(row);
  }
  const std::string svg = *Render(chart);
  RC_ASSERT(report::XmlCheck::Problem(svg).empty());
  const auto lines = NumbersOf(svg, "d=\"M([-0-9.]+) [-0-9.]+H([-0-9.]+)\"");
  RC_ASSERT(lines.size() == drawn.size() * 4);
  for (const double x : lines) RC_ASSERT(x >= 0.0 && x <= chart.width);
  const auto dots = NumbersOf(svg, "cx=\"([-0-9.]+)\"");
  RC_ASSERT(dots.size() == drawn.size() + chart.series.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    // From the extremes to the tenths and the mean: in order from left to right, to a tenth of a pixel.
    const double least = lines[4 * i];
    const double most = lines[4 * i + 1];
    RC_ASSERT(least <= lines[4 * i + 2] + 0.11 && lines[4 * i + 2] <= lines[4 * i + 3] + 0.11);
    RC_ASSERT(lines[4 * i + 3] <= most + 0.11);
    const double dot = dots[chart.series.size() + i];
    RC_ASSERT(dot >= least - 0.11 && dot <= most + 0.11);
  }
  const auto heights = NumbersOf(svg, "^<svg[^>]* height=\"([0-9.]+)\"");
  for (const double y : NumbersOf(svg, "cy=\"([-0-9.]+)\"")) RC_ASSERT(y >= 0.0 && y <= heights.front());
}

TEST(SpreadChartTest, NothingAtAllIsDrawnAtZero) {
  const auto svg = Render(SpreadChart{"t", "u", {"s"}, {{"a", {Spread{}}}}, 400});
  ASSERT_TRUE(svg);
  EXPECT_EQ(report::XmlCheck::Problem(*svg), "");
  EXPECT_THAT(*svg, Not(HasSubstr("nan")));
  EXPECT_THAT(*svg, HasSubstr("class=\"zero\""));
}

RC_GTEST_PROP(CellChartLaw, EveryKnownCellIsShadedAndWrittenInsideThePicture, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 5);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 6);
  CellChart chart{"t", "u", {}, {}, {}, 560};
  std::size_t known = 0;
  for (std::size_t c = 0; c < columns; ++c) chart.columns.push_back("c" + std::to_string(c));
  for (std::size_t r = 0; r < rows; ++r) {
    chart.rows.push_back("r<" + std::to_string(r));
    auto& row = chart.values.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) {
      const bool is_known = r + c == 0 || *rc::gen::inRange(0, 4) > 0;
      row.push_back(is_known ? *rc::gen::inRange(-5000, 5000) / 10.0 : std::nan(""));
      known += is_known ? 1 : 0;
    }
  }
  const std::string svg = *Render(chart);
  RC_ASSERT(report::XmlCheck::Problem(svg).empty());
  const auto cells = NumbersOf(svg, "<rect x=\"([-0-9.]+)\" y=\"[-0-9.]+\" width=\"([-0-9.]+)\"");
  RC_ASSERT(cells.size() == 2 * known);
  for (std::size_t i = 0; i < cells.size(); i += 2) {
    RC_ASSERT(cells[i] >= 0.0);
    RC_ASSERT(cells[i] + cells[i + 1] <= chart.width + 0.2);
  }
  RC_ASSERT(NumbersOf(svg, "text-anchor=\"middle\" style=\"fill:[^\"]*\">(-?[0-9.]+)<").size() == known);
}

TEST(CellChartTest, TheLeastIsLightAndTheMostIsDark) {
  const std::string svg = *Render(CellChart{"t", "u", {"a", "b", "c"}, {"r"}, {{1.0, 2.0, 3.0}}});
  const auto light = svg.find("#f3f0e2");
  const auto dark = svg.find("#2b7d99");
  ASSERT_NE(light, std::string::npos);
  ASSERT_NE(dark, std::string::npos);
  EXPECT_LT(light, dark);
  EXPECT_EQ(svg.find("#f3f0e2", light + 1), std::string::npos) << "one cell is the least";
}

TEST(CellChartTest, EqualValuesShareTheMiddleShade) {
  const std::string svg = *Render(CellChart{"t", "u", {"a", "b"}, {"r"}, {{4.0, 4.0}}});
  EXPECT_THAT(svg, HasSubstr("#94c8b0"));
  EXPECT_THAT(svg, Not(HasSubstr("#f3f0e2")));
}

}  // namespace
}  // namespace heliostat::experiments
