#include "heliostat/ui/report/terminal_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using ::testing::HasSubstr;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t LettersOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TerminalPlot Plot(std::vector<double> values) {
  TerminalPlot plot;
  plot.start = Instant{std::chrono::sys_days{std::chrono::year{2024} / 2 / 29}};
  plot.step = 1h;
  plot.values = std::move(values);
  plot.unit = "gCO2e/kWh";
  plot.rows = 5;
  plot.widest = 8;
  return plot;
}

constexpr TerminalStyle kPlain{.width = 80, .is_utf8 = false};

TEST(TerminalPlotTest, DrawsThisPicture) {
  TerminalPlot plot = Plot({100, 200, 200, 100});
  plot.before = {0, 100, 100, 100};
  plot.bands = {{{50, 100, 100, 0}, {150, 300, 300, 300}}, {{100, 200, 150, 100}, {100, 250, 200, 150}}};
  plot.widest = 16;
  EXPECT_EQ(*Render(plot, kPlain),
            "    gCO2e/kWh\n"
            "    |        | ......\n"
            "200 +        | ****..\n"
            "    |        ....::::\n"
            "    |  ********....**\n"
            "  0 +**      |     ..\n"
            "             29 Feb\n");
}

TEST(TerminalPlotTest, UsesBlocksOnATerminalThatHasThem) {
  TerminalPlot plot = Plot({1, 2, 3});
  plot.bands = {{{0, 0, 0}, {9, 9, 9}}};
  const auto text = *Render(plot, {.width = 80, .is_utf8 = true});
  EXPECT_THAT(text, HasSubstr("░"));
  EXPECT_THAT(text, HasSubstr("━"));
}

TEST(TerminalPlotTest, AHoleStaysAHole) {
  const auto lines = LinesOf(*Render(Plot({5, Missing(), 5, 5}), kPlain));
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) { return line.ends_with("**  ****"); }));
}

TEST(TerminalPlotTest, NothingKnownIsAnError) {
  EXPECT_FALSE(Render(Plot({}), kPlain));
  EXPECT_FALSE(Render(Plot({Missing()}), kPlain));
  TerminalPlot short_band = Plot({1, 2});
  short_band.bands = {{{1}, {2}}};
  EXPECT_FALSE(Render(short_band, kPlain));
}

TEST(TerminalPlotTest, LongLabelsTakeTheirRoomFromTheDrawing) {
  for (const double size : {1e-6, 1.0, 1e6, 1e8}) {
    TerminalPlot plot = Plot({-2 * size, 3 * size, size, 0});
    plot.rows = 12;
    plot.widest = 96;
    for (const std::string& line : LinesOf(*Render(plot, {.width = 40, .is_utf8 = false}))) {
      EXPECT_LE(line.size(), 40U) << size << ": " << line;
    }
  }
}

TEST(TerminalPlotTest, WhatIsForecastBeginsAtTheUpright) {
  TerminalPlot plot = Plot({5, 5, 5, 5});
  plot.before = {1, 1, 1, 1};
  plot.widest = 16;
  const auto lines = LinesOf(*Render(plot, kPlain));
  const auto middle = lines[3];  // between the two levels: nothing but the upright
  EXPECT_EQ(std::ranges::count(middle, '|') + std::ranges::count(middle, '+'), 2) << "axis and upright";
  EXPECT_EQ(middle.size() - 1 - middle.find_first_of("|+"), 9U) << "in the ninth column of sixteen";
  plot.before.clear();
  for (const auto& line : LinesOf(*Render(plot, kPlain))) EXPECT_LE(std::ranges::count(line, '|'), 1);
}

// Whatever the numbers: as many rows as asked for, none wider than the terminal,
// and one mark of the line in each column.
RC_GTEST_PROP(TerminalPlotLaw, KeepsItsSizeAndDrawsEveryColumn, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000000, 1000000)));
  const auto before = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000000, 1000000));
  TerminalPlot plot = Plot({values.begin(), values.end()});
  plot.before.assign(before.begin(), before.end());
  plot.rows = *rc::gen::inRange<std::size_t>(2, 20);
  plot.widest = *rc::gen::inRange<std::size_t>(1, 120);
  Fan fan{plot.values, plot.values};
  for (double& low : fan.low) low -= 10;
  for (double& high : fan.high) high += 10;
  plot.bands = {fan};
  const auto width = *rc::gen::inRange<std::size_t>(30, 140);
  const bool is_utf8 = *rc::gen::arbitrary<bool>();
  const auto text = *Render(plot, {.width = width, .is_utf8 = is_utf8});
  const auto lines = LinesOf(text);
  RC_ASSERT(lines.size() == plot.rows + 2);
  for (const auto& line : lines) RC_ASSERT(LettersOf(line) <= width);
  std::size_t marks = 0;
  const std::string mark = is_utf8 ? "━" : "*";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) ++marks;
  // A label that is longer than most takes a column or two.
  RC_ASSERT(marks <= std::min(plot.widest, width - 9));
  RC_ASSERT(marks + 2 >= std::min(plot.widest, width - 9));
}

}  // namespace
}  // namespace heliostat::report
