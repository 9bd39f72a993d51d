#include "heliostat/ui/report/zones_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/bar_chart.h"
#include "heliostat/ui/report/heat_map.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::report {
namespace {

using signal::Signal;

constexpr Colour kCarbon = Colour::kVermilion;
constexpr Colour kSun = Colour::kAmber;
constexpr Colour kWind = Colour::kBlue;
constexpr Colour kPrice = Colour::kGreen;

std::string UnitOf(const Signal& signal) {
  return signal.meaning.kind == signal::Kind::kCapacityFactor ? "of capacity" : signal::UnitText(signal.meaning);
}

double MeanOf(const Signal& signal) { return SpreadOf(signal.series.values()).mean; }

// The SVG of all charts, or the first failure.
Result<std::vector<std::string>> All(std::vector<Result<std::string>> charts) {
  std::vector<std::string> svgs;
  for (auto& chart : charts) {
    if (!chart) return Propagate(chart);
    svgs.push_back(*std::move(chart));
  }
  return svgs;
}

Result<std::string> TypicalDay(std::string title, const Signal& signal, const ZoneYear& zone, Colour colour) {
  const DayShape shape = DayShapeOf(signal.series, zone.facts->utc_offset_hours);
  std::vector<double> hours(24);
  std::iota(hours.begin(), hours.end(), 0.5);
  LineChart chart{.title = std::move(title),
                  .unit = UnitOf(signal),
                  .x_label = fmt::format("hour, UTC{:+}", zone.facts->utc_offset_hours),
                  .x = LineChart::X::kNumber,
                  .x_ticks = {0, 6, 12, 18, 24},
                  .lines = {},
                  .bands = {},
                  .width = 300,
                  .height = 190,
                  .from_zero = true};
  chart.bands = {{"", hours, {shape.low.begin(), shape.low.end()}, {shape.high.begin(), shape.high.end()}, colour}};
  chart.lines = {{"", hours, {shape.mean.begin(), shape.mean.end()}, colour}};
  return Render(chart);
}

Result<LineChart> Week(std::string title, const Signal& signal, Colour colour, const Signal* second = nullptr) {
  const auto week = SampleWeek(signal.series);
  if (!week) return Propagate(week);
  LineChart chart;
  chart.title = std::move(title);
  chart.unit = UnitOf(signal);
  chart.height = 170;
  chart.lines = {StepsOf(second == nullptr ? "" : "sun", *week, colour)};
  if (second != nullptr) {
    const auto other = SampleWeek(second->series);
    if (!other) return Propagate(other);
    chart.lines.push_back(StepsOf("wind", *other, kWind));
  }
  return chart;
}

Status AddWeek(Result<LineChart> week, Page& page) {
  if (!week) return Propagate(week);
  return page.Figure(AtAnyWidth(*std::move(week)));
}

Status AddCarpet(std::string title, const Signal& signal, const ZoneYear& zone, Page& page) {
  HeatMap map{.title = std::move(title),
              .unit = UnitOf(signal),
              .utc_offset_hours = zone.facts->utc_offset_hours,
              .height = 180};
  return page.Figure([&](double width) {
    map.width = width;
    return Render(map, signal.series);
  });
}

std::vector<std::string> StatisticsRow(std::string name, const Signal& signal) {
  const YearSpread spread = SpreadOf(signal.series.values());
  const int decimals = DecimalsFor(std::abs(spread.mean));
  std::vector<std::string> row{std::move(name), UnitOf(signal)};
  for (const double value : {spread.mean, spread.deviation, spread.lowest, spread.percentile_5, spread.median,
                             spread.percentile_95, spread.highest}) {
    row.push_back(DecimalText(value, decimals));
  }
  row.push_back(fmt::format("{:.1f} %", 100 * spread.negative));
  return row;
}

HtmlTable StatisticsOf(const ZoneYear& zone) {
  return {.header = {"trace", "unit", "mean", "deviation", "lowest", "5 %", "median", "95 %", "highest", "below zero"},
          .rows = {StatisticsRow("carbon intensity", zone.carbon), StatisticsRow("sun", zone.solar),
                   StatisticsRow("wind", zone.wind), StatisticsRow("price", zone.price)},
          .text_columns = 2};
}

Status AddZone(const ZoneYear& zone, Page& page) {
  const synthetic::ZoneFacts& facts = *zone.facts;
  page.Heading(facts.name, facts.name);
  page.Paragraph(facts.description);
  page.Note(facts.stands_for.empty() ? std::string(facts.basis)
                                     : fmt::format("Stands for {}. {}", facts.stands_for, facts.basis));
  const auto days = All({TypicalDay("Carbon", zone.carbon, zone, kCarbon), TypicalDay("Sun", zone.solar, zone, kSun),
                         TypicalDay("Wind", zone.wind, zone, kWind), TypicalDay("Price", zone.price, zone, kPrice)});
  if (!days) return Propagate(days);
  page.SubHeading("Typical day: mean of the year, and the middle 80 % of its days");
  page.Grid(*days);
  page.SubHeading("A week in April");
  if (auto bad = AddWeek(Week("Carbon intensity", zone.carbon, kCarbon), page); !bad) return bad;
  if (auto bad = AddWeek(Week("Sun and wind", zone.solar, kSun, &zone.wind), page); !bad) return bad;
  if (auto bad = AddWeek(Week("Price", zone.price, kPrice), page); !bad) return bad;
  page.SubHeading("The year");
  if (auto bad = AddCarpet("Carbon intensity", zone.carbon, zone, page); !bad) return bad;
  if (auto bad = AddCarpet("Price", zone.price, zone, page); !bad) return bad;
  page.SubHeading("Statistics of the hours of the year");
  page.Add(StatisticsOf(zone));
  return {};
}

HtmlTable OverviewOf(const std::vector<ZoneYear>& zones) {
  HtmlTable table{.header = {"zone", "stands for", "carbon, gCO2e/kWh", "sun", "wind", "price per kWh", "currency"},
                  .rows = {},
                  .text_columns = 2};
  for (const ZoneYear& zone : zones) {
    table.rows.push_back({std::string(zone.facts->name),
                          zone.facts->stands_for.empty() ? "no real zone" : std::string(zone.facts->stands_for),
                          NumberText(MeanOf(zone.carbon)), NumberText(MeanOf(zone.solar)),
                          NumberText(MeanOf(zone.wind)), NumberText(MeanOf(zone.price)),
                          std::string(zone.facts->currency.code())});
  }
  return table;
}

Status AddOverview(const std::vector<ZoneYear>& zones, Page& page) {
  std::vector<Link> links;
  BarChart chart{.title = "Mean carbon intensity", .unit = "gCO2e/kWh", .bars = {}};
  for (const ZoneYear& zone : zones) {
    links.push_back({std::string(zone.facts->name), std::string(zone.facts->name)});
    chart.bars.push_back({std::string(zone.facts->name), MeanOf(zone.carbon), kCarbon});
  }
  page.Contents(links);
  page.Add(OverviewOf(zones));
  return page.Figure(AtAnyWidth(std::move(chart)));
}

// How far the typical day goes around its mean: highest less lowest hour, over the mean.
double SwingOf(const ZoneYear& zone) {
  const DayShape shape = DayShapeOf(zone.carbon.series, zone.facts->utc_offset_hours);
  const auto [low, high] = std::ranges::minmax(shape.mean);
  return (high - low) / MeanOf(zone.carbon);
}

Answer AnswerOf(const std::vector<ZoneYear>& zones) {
  const auto carbon = [](const ZoneYear& zone) { return MeanOf(zone.carbon); };
  const ZoneYear& cleanest = *std::ranges::min_element(zones, {}, carbon);
  const ZoneYear& dirtiest = *std::ranges::max_element(zones, {}, carbon);
  const ZoneYear& swinging = *std::ranges::max_element(zones, {}, SwingOf);
  const auto grams = [&](const ZoneYear& zone) { return NumberText(carbon(zone)) + " g/kWh"; };
  const std::string swing = fmt::format("{:.0f} %", 100 * SwingOf(swinging));
  return {
      fmt::format("Of {} zones {} is the cleanest ({} on average) and {} the dirtiest ({}); waiting for a better hour "
                  "helps most in {}, whose typical day swings by {} of its mean.",
                  zones.size(), cleanest.facts->name, grams(cleanest), dirtiest.facts->name, grams(dirtiest),
                  swinging.facts->name, swing),
      {{"cleanest", grams(cleanest), std::string(cleanest.facts->name)},
       {"dirtiest", grams(dirtiest), std::string(dirtiest.facts->name)},
       {"largest swing in a day", swing, std::string(swinging.facts->name)}},
      {"These zones are generated, not measured."}};
}

}  // namespace

Result<std::string> ZonesPage(const ZonesOptions& options, const MadeBy& made_by) {
  std::vector<ZoneYear> zones;
  for (const synthetic::ZoneFacts& facts : synthetic::Zones()) {
    auto zone = MakeZoneYear(facts, options);
    if (!zone) return Propagate(zone);
    zones.push_back(*std::move(zone));
  }
  Page page({"Built-in zones",
             fmt::format("Year {}, seed {}. Means of the year; sun and wind are shares of installed capacity; carbon "
                         "covers the life cycle of plants.",
                         options.year, options.seed),
             AnswerOf(zones)});
  if (const auto bad = AddOverview(zones, page); !bad) return Propagate(bad);
  for (const ZoneYear& zone : zones) {
    if (const auto bad = AddZone(zone, page); !bad) return Propagate(bad);
  }
  return std::move(page).Finish(made_by);
}

}  // namespace heliostat::report
