#include "heliostat/ui/report/zones_page.h"

#include <fmt/format.h>

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

Result<std::string> Week(std::string title, const Signal& signal, Colour colour, const Signal* second = nullptr) {
  const auto week = SampleWeek(signal.series);
  if (!week) return Propagate(week);
  LineChart chart{.title = std::move(title),
                  .unit = UnitOf(signal),
                  .x_label = {},
                  .x_ticks = {},
                  .lines = {StepsOf(second == nullptr ? "" : "sun", *week, colour)},
                  .bands = {},
                  .width = 960,
                  .height = 170};
  if (second != nullptr) {
    const auto other = SampleWeek(second->series);
    if (!other) return Propagate(other);
    chart.lines.push_back(StepsOf("wind", *other, kWind));
  }
  return Render(chart);
}

Result<std::string> Carpet(std::string title, const Signal& signal, const ZoneYear& zone) {
  return Render({.title = std::move(title),
                 .unit = UnitOf(signal),
                 .utc_offset_hours = zone.facts->utc_offset_hours,
                 .width = 960,
                 .height = 180},
                signal.series);
}

std::vector<std::string> StatisticsRow(std::string name, const Signal& signal) {
  const YearSpread spread = SpreadOf(signal.series.values());
  std::vector<std::string> row{std::move(name), UnitOf(signal)};
  for (const double value : {spread.mean, spread.deviation, spread.lowest, spread.percentile_5, spread.median,
                             spread.percentile_95, spread.highest}) {
    row.push_back(NumberText(value));
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
  const auto weeks = All({Week("Carbon intensity", zone.carbon, kCarbon),
                          Week("Sun and wind", zone.solar, kSun, &zone.wind), Week("Price", zone.price, kPrice)});
  if (!weeks) return Propagate(weeks);
  const auto carpets = All({Carpet("Carbon intensity", zone.carbon, zone), Carpet("Price", zone.price, zone)});
  if (!carpets) return Propagate(carpets);

  page.SubHeading("Typical day: mean of the year, and the middle 80 % of its days");
  page.Grid(*days);
  page.SubHeading("A week in April");
  for (const std::string& chart : *weeks) page.Figure(chart);
  page.SubHeading("The year");
  for (const std::string& chart : *carpets) page.Figure(chart);
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
  BarChart chart{.title = "Mean carbon intensity", .unit = "gCO2e/kWh", .bars = {}, .width = 960};
  for (const ZoneYear& zone : zones) {
    links.push_back({std::string(zone.facts->name), std::string(zone.facts->name)});
    chart.bars.push_back({std::string(zone.facts->name), MeanOf(zone.carbon), kCarbon});
  }
  const auto bars = Render(chart);
  if (!bars) return Propagate(bars);
  page.Contents(links);
  page.Add(OverviewOf(zones));
  page.Figure(*bars);
  return {};
}

}  // namespace

Result<std::string> ZonesPage(const ZonesOptions& options) {
  std::vector<ZoneYear> zones;
  for (const synthetic::ZoneFacts& facts : synthetic::Zones()) {
    auto zone = MakeZoneYear(facts, options);
    if (!zone) return Propagate(zone);
    zones.push_back(*std::move(zone));
  }
  Page page("Built-in zones",
            fmt::format("Generated by Heliostat, not measured: year {}, seed {}. Means of the year; sun and "
                        "wind are shares of installed capacity; carbon covers the life cycle of plants.",
                        options.year, options.seed));
  if (const auto bad = AddOverview(zones, page); !bad) return Propagate(bad);
  for (const ZoneYear& zone : zones) {
    if (const auto bad = AddZone(zone, page); !bad) return Propagate(bad);
  }
  return std::move(page).Finish();
}

}  // namespace heliostat::report
