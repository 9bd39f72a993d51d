#include "heliostat/ui/report/forecast_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kHours = 24;

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

signal::StepSeries Series(Instant start, double value) {
  return *signal::StepSeries::Make(start, 1h, std::vector<double>(kHours, value));
}

ForecastCurve Curve(Instant start) {
  const std::vector<double> low(kHours, 90);
  const std::vector<double> high(kHours, 130);
  return {"auto", start, 1h, std::vector<double>(kHours, 110), {{90, low, high}, {50, low, high}}};
}

BacktestPage Backtest(std::size_t models) {
  BacktestPage page;
  page.title = "Backtest <of> carbon";
  page.unit = "gCO2e/kWh";
  page.error_name = "MAPE";
  page.error_unit = "%";
  page.step = 1h;
  for (std::size_t m = 0; m < models; ++m) {
    page.models.push_back({"model-" + std::to_string(m), std::vector<double>(kHours, static_cast<double>(m)),
                           std::vector<double>(kHours, 88)});
  }
  page.scores = {.header = {"model", "MAPE"}, .rows = {{"model-0", "1.0 *"}}, .text_columns = 1};
  const Instant origin{std::chrono::days{19000}};
  page.example = {Series(origin - 24h, 100), Series(origin, 120), Curve(origin)};
  return page;
}

TEST(BacktestPageTest, IsWellFormedAndNamesEveryModelInBothChartsOfBothWidths) {
  const auto page = *Render(Backtest(14));
  EXPECT_EQ(XmlCheck::Problem(page), "");
  EXPECT_THAT(page, HasSubstr("Backtest &lt;of&gt; carbon"));
  for (int m = 0; m < 14; ++m) EXPECT_EQ(Count(page, fmt::format(">model-{}<", m)), m == 0 ? 5 : 4) << m;
  EXPECT_THAT(page, HasSubstr("50, 90 % bands"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(BacktestPageTest, WithoutBandsItSaysSoInsteadOfDrawing) {
  BacktestPage data = Backtest(1);
  data.models[0].coverage90.assign(kHours, Missing());
  data.example.reset();
  const auto page = *Render(data);
  EXPECT_EQ(Count(page, "<svg"), 2) << "wide and narrow";
  EXPECT_THAT(page, HasSubstr("No model had enough past errors to make bands."));
}

TEST(BacktestPageTest, BandsOfAnotherLengthAreAnError) {
  BacktestPage data = Backtest(1);
  data.example->forecast.ranges[0].low.pop_back();
  EXPECT_FALSE(Render(data));
}

TEST(ForecastPageTest, DrawsAFewOfManyFutures) {
  const Instant origin{std::chrono::days{19000}};
  ForecastPage data{.title = "Forecast",
                    .subtitle = "",
                    .unit = "kW",
                    .before = Series(origin - 24h, 100),
                    .forecast = Curve(origin),
                    .scenarios = std::vector<std::vector<double>>(100, std::vector<double>(kHours, 5)),
                    .facts = {},
                    .values = {}};
  const auto page = *Render(data);
  EXPECT_EQ(XmlCheck::Problem(page), "");
  EXPECT_THAT(page, HasSubstr("12 of 100 possible futures"));
  EXPECT_EQ(Count(page, "stroke-width=\"0.7\""), 2 * (12 + 1));  // and one in the legend; wide and narrow
  EXPECT_THAT(page, HasSubstr("it matters little when work runs"));
}

// Two days of 200, but 100 from 12:00 to 16:00 on the first.
ForecastCurve WithADip(Duration step) {
  const auto count = static_cast<std::size_t>(48h / step);
  ForecastCurve curve{"auto", Instant{std::chrono::days{19000}}, step, std::vector<double>(count, 200), {}};
  for (Duration t = 12h; t < 16h; t += step) curve.values[static_cast<std::size_t>(t / step)] = 100;
  return curve;
}

TEST(BestWindowTest, IsTheFourHoursWithTheLowestMean) {
  for (const Duration step : {Duration(5min), Duration(1h)}) {
    const ForecastCurve curve = WithADip(step);
    const auto window = BestWindowOf(curve, true);
    ASSERT_TRUE(window);
    EXPECT_EQ(window->span, (Interval{curve.start + 12h, curve.start + 16h}));
    EXPECT_DOUBLE_EQ(window->mean, 100);
    EXPECT_DOUBLE_EQ(window->worst_mean, 200);
    EXPECT_EQ(WindowText(curve, *window, "g"),
              "Sat 8 Jan 12:00 to 16:00 UTC, 48 % below the mean of the next 48 h (100 instead of 192 g)");
  }
}

TEST(BestWindowTest, TheHighestIsSoughtForPower) {
  ForecastCurve curve = WithADip(1h);
  for (double& value : curve.values) value = 300 - value;
  EXPECT_EQ(BestWindowOf(curve, false)->span.begin, curve.start + 12h);
}

TEST(BestWindowTest, AShortForecastHasAShortWindowAndAnUnknownOneNone) {
  ForecastCurve curve = WithADip(1h);
  curve.values.resize(5);
  EXPECT_EQ(WindowLength(curve), 2h);
  curve.values.resize(1);
  EXPECT_EQ(WindowLength(curve), 1h);
  EXPECT_EQ(BestWindowOf(curve, true)->span.length(), 1h);
  curve.values[0] = Missing();
  EXPECT_FALSE(BestWindowOf(curve, true));
}

TEST(BestWindowTest, PricesAroundZeroAreComparedByDifference) {
  ForecastCurve curve = WithADip(1h);
  for (double& value : curve.values) value -= 200;
  EXPECT_THAT(WindowText(curve, *BestWindowOf(curve, true), "EUR/MWh"), HasSubstr("91.7 EUR/MWh below the mean"));
}

}  // namespace
}  // namespace heliostat::report
