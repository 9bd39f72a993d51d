#include "heliostat/ui/simulation_page/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/simulation_page/json_text.h"
#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using testing::Compared;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(JsonTextTest, NothingEndsAScript) {
  EXPECT_EQ(JsonText("a\"\\\n</script>&"), "\"a\\u0022\\u005c\\u000a\\u003c/script\\u003e\\u0026\"");
  EXPECT_EQ(JsonNumbers(std::vector<double>{0.0, -0.0, 12345.6, kNaN}), "[0,0,1.235e+04,null]");
}

TEST(FiguresTest, PowerByUseAddsUpToWhatTheFacilityUsed) {
  const Compared small = testing::Small();
  const PageView view = ViewOf(small.scenario, small.comparison);
  for (std::size_t run = 0; run < small.comparison.runs.size(); ++run) {
    const TimeFigure figure = PowerFigure(view, run);
    double drawn = 0.0;
    for (const Layer& layer : figure.panels[1].stack) drawn += Sum(layer.values);
    double supplied = 0.0;
    for (const Layer& layer : figure.panels[2].stack) supplied += Sum(layer.values);
    const double hours = Seconds(small.scenario.step).count() / 3600.0;
    EXPECT_NEAR(drawn * hours, small.comparison.figures[run].energy_kwh, 1e-6);
    EXPECT_NEAR(supplied * hours, small.comparison.figures[run].energy_kwh, 1e-6);
  }
}

TEST(FiguresTest, EveryChartIsWellFormedInAnyWidth) {
  const Compared small = testing::Small();
  const PageView view = ViewOf(small.scenario, small.comparison);
  for (const double width : {300.0, 356.0, 700.0, 960.0}) {
    for (const std::string& svg : {Render(PowerFigure(view, 0), width), Render(WorkFigure(view), width),
                                   Render(LatencyFigure(view, 1, ServicesShown(small.scenario, 4)), width),
                                   Render(TradeOffs(view)[0], width), Render(TradeOffs(view)[1], width)}) {
      EXPECT_EQ(report::XmlCheck::Problem(svg), "") << width;
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, Not(HasSubstr("inf")));
    }
  }
}

TEST(FiguresTest, LongHorizonsAreThinnedAndKeepTheirEnergy) {
  scenario::Scenario year = plan::testing::IdleCluster();
  year.slots = 2000;
  year.carbon.assign(year.slots, GramsPerKwh(100));
  year.renewable.assign(year.slots, Watts{});
  year.price_per_kwh.clear();
  const Compared compared(year, {"run-now"});
  const PageView view = ViewOf(compared.scenario, compared.comparison);
  EXPECT_EQ(view.bucket, 3U);
  const TimeFigure figure = PowerFigure(view, 0);
  EXPECT_EQ(figure.panels[0].curves[0].values.size(), view.grid().size());
  EXPECT_EQ(view.grid().size(), 667U);
  EXPECT_EQ(figure.panels.size(), 3U) << "no prices, no panel of them";
}

TEST(FiguresTest, AServiceThatNobodyServedIsDrawnAtTheCeiling) {
  Compared small = testing::Small();
  small.comparison.runs[0].services[0].slots[1].latency = Seconds(std::numeric_limits<double>::infinity());
  const PageView view = ViewOf(small.scenario, small.comparison);
  const TimeFigure figure = LatencyFigure(view, 0, {0});
  EXPECT_TRUE(std::isinf(figure.panels[0].curves[0].values[1]));
  EXPECT_TRUE(std::isnan(figure.panels[0].curves[0].values[3])) << "nobody asked";
  EXPECT_THAT(Render(figure, 960), Not(HasSubstr("inf")));
  EXPECT_THAT(DataOf(figure), HasSubstr("1e999"));
}

TEST(FiguresTest, TheBusiestServicesAreShown) {
  auto scenario = plan::testing::SmallScenario();
  scenario.services = {plan::testing::ServiceOf("calm", {1, 1, 1, 1, 1, 1}),
                       plan::testing::ServiceOf("busy", {9, 9, 9, 9, 9, 9}),
                       plan::testing::ServiceOf("middling", {5, 5, 5, 5, 5, 5})};
  EXPECT_THAT(ServicesShown(scenario, 2), ElementsAre(1, 2));
}

TEST(TimeFigureTest, MissingValuesBreakACurve) {
  const Instant start = plan::testing::kStart;
  TimeFigure figure{"k", "t", {{start, start + std::chrono::hours{4}}, std::chrono::hours{1}}, {}};
  figure.panels.push_back({"p", "u", 100, {}, {{"c", {1, kNaN, 2, 2}}}});
  const std::string svg = Render(figure, 500);
  const std::size_t path = svg.rfind("class=\"s0\"");
  ASSERT_NE(path, std::string::npos);
  const std::string data = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_EQ(std::ranges::count(data, 'M'), 2);
}

RC_GTEST_PROP(TimeFigureTest, ThinningKeepsTheMean, ()) {
  const auto bucket = *rc::gen::inRange<std::size_t>(1, 9);
  const auto count = *rc::gen::inRange<std::size_t>(1, 12) * bucket;
  std::vector<double> values;
  for (const int value : *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(-1000, 1000))) {
    values.push_back(value);
  }
  const auto thinned = Thinned(values, bucket);
  RC_ASSERT(thinned.size() * bucket == values.size());
  RC_ASSERT(std::abs(Sum(thinned) * static_cast<double>(bucket) - Sum(values)) < 1e-6);
}

RC_GTEST_PROP(ScatterTest, NoSpotBeatsOneOfTheFrontAndAllOthersAreBeaten, (bool more)) {
  Scatter scatter{"t", "x", "y", more, {}};
  const auto count = *rc::gen::inRange(1, 15);
  for (int i = 0; i < count; ++i) {
    scatter.spots.push_back(
        {"s", static_cast<double>(*rc::gen::inRange(0, 9)), static_cast<double>(*rc::gen::inRange(0, 9))});
  }
  const auto front = FrontOf(scatter);
  const double sign = more ? 1.0 : -1.0;
  const auto beats = [&](const Spot& a, const Spot& b) {
    const bool no_worse = a.x <= b.x && sign * a.y >= sign * b.y;
    return no_worse && (a.x < b.x || a.y != b.y);
  };
  RC_ASSERT(!front.empty());
  for (std::size_t i = 0; i < scatter.spots.size(); ++i) {
    const bool is_beaten =
        std::ranges::any_of(scatter.spots, [&](const Spot& other) { return beats(other, scatter.spots[i]); });
    const bool is_on_it = std::ranges::any_of(front, [&](std::size_t f) {
      return scatter.spots[f].x == scatter.spots[i].x && scatter.spots[f].y == scatter.spots[i].y;
    });
    RC_ASSERT(is_beaten != is_on_it);
  }
  RC_ASSERT(report::XmlCheck::Problem(Render(scatter, 356)).empty());
}

}  // namespace
}  // namespace heliostat::simulation_page
