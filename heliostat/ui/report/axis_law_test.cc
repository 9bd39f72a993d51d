#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/run_text.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;

// Numbers of any size from a millionth to ten million, of both signs.
double AnyNumber() { return *rc::gen::inRange(-99999, 99999) * std::pow(10.0, *rc::gen::inRange(-6, 3)); }

std::size_t LettersOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

RC_GTEST_PROP(NumberAxisLaw, CoversTheDataWithEvenRoundTicksFromEndToEnd, ()) {
  double low = AnyNumber();
  double high = AnyNumber();
  if (low > high) std::swap(low, high);
  const int wanted = *rc::gen::inRange(1, 12);
  const Axis axis = NumberAxis(low, high, wanted);
  const double size = std::max(std::abs(low), std::abs(high)) + 1e-12;
  RC_ASSERT(axis.low <= low + 1e-8 * size);
  RC_ASSERT(axis.high >= high - 1e-8 * size);
  RC_ASSERT(axis.low < axis.high);
  RC_ASSERT(axis.ticks.size() >= 2U);
  RC_ASSERT(axis.ticks.size() <= static_cast<std::size_t>(2 * wanted + 4));
  RC_ASSERT(std::abs(axis.ticks.front().value - axis.low) <= 1e-9 * size);
  RC_ASSERT(std::abs(axis.ticks.back().value - axis.high) <= 1e-9 * size);
  const double step = (axis.high - axis.low) / static_cast<double>(axis.ticks.size() - 1);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    RC_ASSERT(std::abs(axis.ticks[i].value - (axis.low + static_cast<double>(i) * step)) <= 1e-6 * step);
  }
}

RC_GTEST_PROP(NumberAxisLaw, LabelsSayTheirTicksAndDiffer, ()) {
  double low = *rc::gen::inRange(-100000, 100000) / 16.0;
  double high = low + *rc::gen::inRange(1, 100000) / 16.0;
  const Axis axis = NumberAxis(low, high, 5);
  const double step = axis.ticks[1].value - axis.ticks[0].value;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    RC_ASSERT(std::abs(std::strtod(axis.ticks[i].label.c_str(), nullptr) - axis.ticks[i].value) < 0.01 * step);
    // The macro evaluates both sides of an "or".
    if (i > 0) RC_ASSERT(axis.ticks[i].label != axis.ticks[i - 1].label);
    RC_ASSERT(axis.ticks[i].label != "-0");
  }
}

RC_GTEST_PROP(TimeAxisLaw, TicksRiseInsideTheSpanAndAreNoMoreThanAsked, ()) {
  const Instant begin{Duration{*rc::gen::inRange<std::int64_t>(-1000000000, 2000000000)}};
  const double power = *rc::gen::inRange(60, 300) / 30.0;  // from a hundred seconds to three hundred years
  const Interval span{begin, begin + Duration{static_cast<std::int64_t>(std::pow(10.0, power))}};
  const int most = *rc::gen::inRange(2, 16);
  const Axis axis = TimeAxis(span, most);
  RC_ASSERT(axis.ticks.size() <= static_cast<std::size_t>(most));
  double before = axis.low - 1.0;
  for (const Tick& tick : axis.ticks) {
    RC_ASSERT(tick.value > before);
    RC_ASSERT(axis.ShareOf(tick.value) >= 0.0 && axis.ShareOf(tick.value) <= 1.0);
    RC_ASSERT(!tick.label.empty());
    before = tick.value;
  }
}

TEST(TimeAxisTest, ShortMonthsDoNotMakeMoreTicksThanAsked) {
  const Instant february = std::chrono::sys_days{std::chrono::year{2023} / 2 / 1};
  const Instant april = std::chrono::sys_days{std::chrono::year{2023} / 4 / 1};
  const Instant may = std::chrono::sys_days{std::chrono::year{2023} / 5 / 1};
  EXPECT_LE(TimeAxis({february, april}, 2).ticks.size(), 2U);
  EXPECT_LE(TimeAxis({february, may}, 3).ticks.size(), 3U);
}

TEST(TimeAxisTest, AMomentGetsASecond) {
  const Instant noon = std::chrono::sys_days{std::chrono::year{2023} / 2 / 1} + 12h;
  const Axis axis = TimeAxis({noon, noon}, 5);
  EXPECT_EQ(axis.high - axis.low, 1.0);
}

RC_GTEST_PROP(NumberTextLaw, ReadsBackAsTheNumberWithinItsDigits, ()) {
  const double value = AnyNumber();
  const int digits = *rc::gen::inRange(1, 7);
  const double read = std::strtod(NumberText(value, digits).c_str(), nullptr);
  RC_ASSERT(std::abs(read - value) <= 0.5000001 * std::abs(value) * std::pow(10.0, 1 - digits));
}

RC_GTEST_PROP(LengthTextLaw, NamesNoMoreThanTheLengthAndLosesLessThanItsSmallestUnit, ()) {
  const std::int64_t seconds = *rc::gen::inRange<std::int64_t>(0, 86400 * 40);
  const std::string text = LengthText(Duration{seconds});
  std::int64_t read = 0;
  std::int64_t smallest = 1;
  int units = 0;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const std::int64_t count = std::strtoll(at, &end, 10);
    RC_ASSERT(end != at);
    const std::string_view rest(end);
    smallest = rest.starts_with(" d") ? 86400 : rest.starts_with(" h") ? 3600 : rest.starts_with(" min") ? 60 : 1;
    read += count * smallest;
    ++units;
    at = end + (smallest == 60 ? 4 : 2);
    if (*at == ' ') ++at;
  }
  RC_ASSERT(units <= 2);
  RC_ASSERT(read <= seconds);
  const std::int64_t lost = seconds - read;
  RC_ASSERT(lost < (units == 2 ? smallest : std::max<std::int64_t>(1, smallest / (smallest == 86400 ? 24 : 60))));
}

TEST(SettingTextTest, SaysHowManyGpusAndHowTheyAreSet) {
  EXPECT_EQ(SettingText(4, {std::nullopt, 175.0}), "4 x 175 W");
  EXPECT_EQ(SettingText(2, {1200.0, std::nullopt}), "2 x 1200 MHz");
  EXPECT_EQ(SettingText(2, {1200.0, 175.0}), "2 x 175 W 1200 MHz");
  EXPECT_EQ(SettingText(1, {}), "1 x default");
}

RC_GTEST_PROP(EstimateTextLaw, ValueAndBarHaveTheSameDecimalsAndReadBack, ()) {
  const ledger::Estimate estimate{*rc::gen::inRange(-99999, 99999) / 10.0, *rc::gen::inRange(1, 99999) / 100.0};
  const std::string text = EstimateText(estimate, "g");
  const auto sign = text.find(" ± ");
  RC_ASSERT(sign != std::string::npos);
  RC_ASSERT(text.ends_with(" g"));
  const std::string value = text.substr(0, sign);
  const std::string bar = text.substr(sign + 4, text.size() - sign - 6);
  const auto decimals = [](const std::string& number) {
    const auto dot = number.find('.');
    return dot == std::string::npos ? std::size_t{0} : number.size() - dot - 1;
  };
  RC_ASSERT(decimals(value) == decimals(bar));
  const double last_place = std::pow(10.0, -static_cast<double>(decimals(bar)));
  RC_ASSERT(std::abs(std::strtod(value.c_str(), nullptr) - estimate.value) <= 0.5001 * last_place);
  RC_ASSERT(std::abs(std::strtod(bar.c_str(), nullptr) - ledger::BarOf(estimate)) <= 0.5001 * last_place);
  RC_ASSERT(last_place <= 0.1001 * std::max(10.0, ledger::BarOf(estimate)));
}

RC_GTEST_PROP(EscapeLaw, AnyBytesBecomeOneElementsText, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const std::string escaped = Escape(bytes);
  RC_ASSERT(XmlCheck::Problem("<a b=\"" + escaped + "\">" + escaped + "</a>").empty());
  RC_ASSERT(escaped.find('<') == std::string::npos && escaped.find('"') == std::string::npos);
  for (const char c : escaped) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\r');
}

RC_GTEST_PROP(SparklineLaw, HasOneCharacterPerValueOrColumnAndMarksTheExtremes, ()) {
  const auto raw = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000)));
  const std::vector<double> values(raw.begin(), raw.end());
  const auto width = *rc::gen::inRange<std::size_t>(1, 60);
  const bool is_utf8 = *rc::gen::arbitrary<bool>();
  const std::string line = *Sparkline(values, width, is_utf8);
  RC_ASSERT(LettersOf(line) == std::min(width, values.size()));
  const auto [low, high] = std::ranges::minmax(values);
  if (values.size() > width || low == high) return;
  RC_ASSERT(line.find(is_utf8 ? "▁" : "_") != std::string::npos);
  RC_ASSERT(line.find(is_utf8 ? "█" : "@") != std::string::npos);
}

RC_GTEST_PROP(SparklineLaw, LabelledLinesEndWithTheirRangeWithinTheTerminal, ()) {
  const auto raw = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-99999, 99999)));
  std::vector<double> values(raw.begin(), raw.end());
  for (double& value : values) value /= 100.0;
  const auto width = *rc::gen::inRange<std::size_t>(52, 160);
  const std::string line = *LabelledSparkline("price", values, "EUR/MWh", {.width = width, .is_utf8 = true});
  RC_ASSERT(LettersOf(line) <= width);
  RC_ASSERT(line.ends_with(" EUR/MWh"));
}

RC_GTEST_PROP(TextOfLaw, EveryColumnStandsUnderItsHeader, ()) {
  HtmlTable table{.header = {"name", "value", "other"}, .rows = {}, .text_columns = 1};
  const int rows = *rc::gen::inRange(0, 6);
  for (int i = 0; i < rows; ++i) {
    auto& row = table.rows.emplace_back();
    for (int c = 0; c < 3; ++c) {
      row.push_back(*rc::gen::element<std::string>("x", "12.5", "60 °C", "– – –", "a longer cell", "é"));
    }
  }
  const std::string text = TextOf(table);
  RC_ASSERT(std::ranges::count(text, '\n') == rows + 1);
  std::vector<std::size_t> widths;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    widths.push_back(LettersOf(std::string_view(text).substr(begin, end - begin)));
    if (end != begin) RC_ASSERT(text[end - 1] != ' ');
    begin = end + 1;
  }
  // The last column is flush right: all lines end where the widest cell does.
  for (const std::size_t width : widths) RC_ASSERT(width == widths.front());
}

}  // namespace
}  // namespace heliostat::report
