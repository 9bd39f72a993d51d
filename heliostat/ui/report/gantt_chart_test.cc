#include "heliostat/ui/report/gantt_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

const Instant kStart{std::chrono::days{19000}};

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Ten hours on a thousand pixels: labels of one letter leave 100 pixels an hour, near enough.
GanttChart Chart(std::size_t rows) {
  GanttChart chart;
  chart.title = "Jobs";
  chart.shade_name = "workers";
  chart.shades = {"1", "2", "4"};
  chart.span = {kStart, kStart + 10h};
  for (std::size_t i = 0; i < rows; ++i) {
    chart.rows.push_back({"j", Interval{kStart, kStart + 5h}, {{{kStart + 1h, kStart + 2h}, i % 3, "hint"}}});
  }
  return chart;
}

std::string BarsOf(const std::string& svg) { return svg.substr(svg.find("class=\"zero\"")); }

TEST(GanttChartTest, DrawsABarWithItsHintAndTheWindowBehindIt) {
  GanttChart chart = Chart(1);
  chart.width = 1028.3;  // 16.3 for the label, 12 at the right
  const auto svg = *Render(chart);
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("<line class=\"zero\" x1=\"16.3\" y1=\"36\" x2=\"516.3\" y2=\"36\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M116.3 36h100\""));
  EXPECT_THAT(svg, HasSubstr("<title>hint</title>"));
  chart.label_room = 28.3;
  EXPECT_THAT(*Render(chart), HasSubstr("<line class=\"zero\" x1=\"28.3\""));
}

TEST(GanttChartTest, MoreWorkersHaveAStrongerColourAndTheLegendSaysSo) {
  const auto svg = *Render(Chart(3));
  for (const char* shade : {"h2", "h5", "h8"}) {
    EXPECT_EQ(Count(svg, "class=\"" + std::string(shade) + "\""), 2) << "a bar and a patch of the legend: " << shade;
  }
  EXPECT_THAT(svg, HasSubstr(">workers<"));
  GanttChart beyond = Chart(1);
  beyond.rows[0].bars[0].shade = 99;
  EXPECT_THAT(BarsOf(*Render(beyond)), HasSubstr("class=\"h8\""));
}

TEST(GanttChartTest, WhatLiesOutsideTheSpanIsCutOff) {
  GanttChart chart = Chart(1);
  chart.rows[0].window = Interval{kStart - 24h, kStart + 24h};
  chart.rows[0].bars = {{{kStart - 2h, kStart - 1h}, 0, "before"}, {{kStart + 9h, kStart + 12h}, 0, "across"}};
  const auto svg = *Render(chart);
  EXPECT_THAT(svg, Not(HasSubstr("before")));
  EXPECT_THAT(svg, HasSubstr("across"));
  EXPECT_THAT(svg, HasSubstr("x2=\"948\" y2=\"36\""));
}

TEST(GanttChartTest, ManyRowsAreThinAndHaveNoLabels) {
  const auto few = *Render(Chart(3));
  const auto many = *Render(Chart(150));
  EXPECT_EQ(Count(few, ">j<"), 3);
  EXPECT_EQ(Count(many, ">j<"), 0);
  EXPECT_THAT(many, HasSubstr("height=\"818\""));
}

TEST(GanttChartTest, HostileAndLongLabelsStayTextOfBoundedWidth) {
  GanttChart chart = Chart(1);
  chart.rows[0].label = "<script>&" + std::string(500, 'x');
  chart.rows[0].bars[0].hint = "</title>";
  auto svg = *Render(chart);
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_LT(svg.size(), 6000U);
  chart.rows[0].label.clear();
  for (int i = 0; i < 60; ++i) chart.rows[0].label += "é";
  svg = *Render(chart);
  EXPECT_THAT(svg, HasSubstr("é…</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("\xEF\xBF\xBD"))) << "no letter is cut in two";
}

TEST(GanttChartTest, NothingToShowIsAnError) {
  EXPECT_FALSE(Render(Chart(0)));
  GanttChart chart = Chart(1);
  chart.span.end = chart.span.begin;
  EXPECT_THAT(Render(chart).error().Line(), HasSubstr("chart 'Jobs'"));
}

}  // namespace
}  // namespace heliostat::report
