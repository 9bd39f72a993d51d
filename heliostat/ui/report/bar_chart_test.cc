#include "heliostat/ui/report/bar_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BarChartTest, BarsAreInProportionAndNegativeOnesPointLeft) {
  const auto svg = *Render(BarChart{"Saved", "kg", {{"a", 100}, {"b", 50}, {"c", -50}}, 400});
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  // Of 400 px, names and values take 82.3 on the left and 64 on the right; the rest shows -50 .. 100.
  EXPECT_THAT(svg, HasSubstr("x=\"166.9\" y=\"30\" width=\"169.1\""));
  EXPECT_THAT(svg, HasSubstr("x=\"166.9\" y=\"52\" width=\"84.6\""));
  EXPECT_THAT(svg, HasSubstr("x=\"82.3\" y=\"74\" width=\"84.6\""));
}

TEST(BarChartTest, AnUnknownBarSaysSo) {
  const auto svg = *Render(BarChart{"t", "u", {{"a", 1}, {"b", signal::Missing()}}, 300});
  EXPECT_THAT(svg, HasSubstr(">unknown<"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(BarChartTest, AllZerosAreDrawnAndNothingIsAnError) {
  EXPECT_EQ(XmlCheck::Problem(*Render(BarChart{"t", "u", {{"a", 0}}, 300})), "");
  EXPECT_FALSE(Render(BarChart{"t", "u", {}, 300}));
  EXPECT_FALSE(Render(BarChart{"t", "u", {{"a", signal::Missing()}}, 300}));
}

TEST(BarChartTest, LabelsAreEscaped) {
  EXPECT_THAT(*Render(BarChart{"t", "u", {{"<i>", 1}}, 300}), HasSubstr("&lt;i&gt;"));
}

}  // namespace
}  // namespace heliostat::report
