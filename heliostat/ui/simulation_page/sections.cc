#include "heliostat/ui/simulation_page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heliostat/control/sim/verdict.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/escape.h"

namespace heliostat::simulation_page {
namespace {

using report::Escape;
using report::NumberText;
using report::RoundedText;
using sim::Figures;

using report::Tile;

std::optional<Tile> SavedTile(const std::string& name, double base, double value) {
  if (!(base > 0.0)) return std::nullopt;
  const double change = 100.0 * (value / base - 1.0);
  return Tile{name, fmt::format("{}{:.1f} %", change < 0.0 ? "−" : "+", std::abs(change))};
}

// A year's saving in carbon and money.
void AddYear(const SimulationPage& page, std::size_t best, std::vector<Tile>& tiles) {
  const auto year = sim::SavedInAYear(page.scenario, page.comparison, best);
  if (!year) return;
  tiles.push_back({"CO2e saved a year", MassRange(year->carbon_kg)});
  if (page.scenario.price_per_kwh.empty()) return;
  tiles.push_back({fmt::format("{} saved a year", page.scenario.currency.code()),
                   fmt::format("{} to {}", RoundedText(year->cost.low, 2), RoundedText(year->cost.high, 2))});
}

std::optional<Tile> SplitTile(const sim::SavingSplit& split) {
  if (split.stages.empty()) return std::nullopt;
  const double saved = split.stages.front().carbon_kg - split.stages.back().carbon_kg;
  if (!(saved > 0.0)) return std::nullopt;
  std::string shares;
  std::string names;
  for (std::size_t i = 1; i < split.stages.size(); ++i) {
    const double part = split.stages[i - 1].carbon_kg - split.stages[i].carbon_kg;
    shares += fmt::format("{}{:.0f}", shares.empty() ? "" : " / ", 100.0 * part / saved);
    names += (names.empty() ? "" : " / ") + split.stages[i].part;
  }
  return Tile{names, shares + " %", "of the carbon saved"};
}

std::vector<Tile> TilesOf(const SimulationPage& page, std::size_t best) {
  const Figures& base = page.comparison.figures.front();
  const Figures& chosen = page.comparison.figures[best];
  const std::string& first = page.comparison.runs.front().policy;
  const auto beside = [&](const std::string& text) { return best == 0 ? "" : fmt::format("{}: {}", first, text); };
  std::vector<Tile> tiles;
  const auto add = [&tiles](std::optional<Tile> tile) {
    if (tile) tiles.push_back(*std::move(tile));
  };
  AddYear(page, best, tiles);
  add(SplitTile(page.comparison.split));
  if (best != 0 && !page.scenario.price_per_kwh.empty()) add(SavedTile("cost", base.cost, chosen.cost));
  if (const std::size_t deadlines = DeadlinesOf(page.scenario); deadlines > 0) {
    const auto kept = [&](const Figures& f) {
      return fmt::format("{} of {}", deadlines - f.deadline_misses, deadlines);
    };
    add(Tile{"deadlines kept", kept(chosen), beside(kept(base))});
  }
  if (chosen.requests_total > 0.0) {
    const auto in_time = [](const Figures& f) {
      return fmt::format("{:.2f} %", 100.0 - 100.0 * f.slo_violation_fraction);
    };
    add(Tile{"requests in time", in_time(chosen), beside(in_time(base))});
  }
  return tiles;
}

std::string HeaderCell(const std::string& text, bool is_text, const std::string& hint = {}) {
  return fmt::format("<th scope=\"col\"{}{}>{}</th>", is_text ? " class=\"text\"" : "",
                     hint.empty() ? "" : fmt::format(" title=\"{}\"", Escape(hint)), Escape(text));
}

std::string RowName(const std::string& text) {
  return fmt::format("<tr><th scope=\"row\" class=\"text\">{}</th>", Escape(text));
}

std::string Cell(const std::string& text) { return fmt::format("<td>{}</td>", report::EscapeNumbers(text)); }

std::string TableOf(const std::string& id, const std::string& caption, const std::string& head,
                    const std::string& body) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{1}\">{4}<table "
      "id=\"{0}\"><caption><span>{1}</span></caption>\n"
      "<thead><tr>{2}</tr></thead>\n<tbody>\n{3}</tbody></table></div>\n",
      id, Escape(caption), head, body, report::kScrollHint);
}

// The page has no column with the time of the simulation, so that equal simulations give equal pages, and none with the
// hours of idle nodes, so that the table fits.
std::vector<FigureColumn> ShownColumns(const SimulationPage& page) {
  auto columns = ColumnsOf(page.scenario, page.comparison);
  std::erase_if(columns,
                [](const FigureColumn& column) { return column.head == kWallColumn || column.head == kIdleColumn; });
  return columns;
}

// Median and highest of the known values; the highest may be infinite.
struct Spread {
  double median = std::nan("");
  double highest = std::nan("");
};
Spread SpreadOf(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {values[values.size() / 2], values.back()};
}

std::string Milliseconds(double value) {
  if (std::isinf(value)) return "not served";
  return NumberText(value, 3);
}

std::string LatencyRow(const SimulationPage& page, std::size_t run, std::size_t index) {
  const scenario::Service& service = page.scenario.services[index];
  const sim::ServiceRun& served = page.comparison.runs[run].services[index];
  std::vector<double> medians;
  std::vector<double> percentiles;
  for (std::size_t slot = 0; slot < served.slots.size(); ++slot) {
    if (!(service.requests_per_s[slot] > 0.0)) continue;
    medians.push_back(served.p50_s[slot] * 1e3);
    percentiles.push_back(served.slots[slot].latency.count() * 1e3);
  }
  const Spread percentile = SpreadOf(std::move(percentiles));
  return RowName(page.comparison.runs[run].policy) + fmt::format("<td class=\"text\">{}</td>", Escape(service.id)) +
         Cell(NumberText(service.latency_slo.count() * 1e3, 3)) +
         Cell(Milliseconds(SpreadOf(std::move(medians)).median)) + Cell(Milliseconds(percentile.median)) +
         Cell(Milliseconds(percentile.highest)) +
         Cell(served.requests > 0.0 ? fmt::format("{:.2f} %", 100.0 * served.violated / served.requests) : "-") +
         "</tr>\n";
}

}  // namespace

report::Answer AnswerOf(const SimulationPage& page, const Headline& headline) {
  report::Answer answer{headline.sentence + ".", TilesOf(page, headline.best)};
  if (const auto year = sim::SavedInAYear(page.scenario, page.comparison, headline.best)) {
    answer.caveats.push_back(fmt::format("A year: {}.", year->Method()));
  }
  answer.caveats.insert(answer.caveats.end(), headline.caveats.begin(), headline.caveats.end());
  return answer;
}

std::string TableMarkup(const SimulationPage& page) {
  const auto columns = ShownColumns(page);
  std::string head = HeaderCell("policy", true);
  std::vector<std::string> rows;
  for (const sim::SimulatedRun& run : page.comparison.runs) rows.push_back(RowName(run.policy));
  for (const FigureColumn& column : columns) {
    head += HeaderCell(column.head, false, column.meaning);
    const auto best = BestOf(column, page.comparison.figures);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string text = report::EscapeNumbers(column.text(page.comparison.figures[i]));
      rows[i] += best[i] ? fmt::format("<td><strong>★ {}</strong></td>", text) : fmt::format("<td>{}</td>", text);
    }
  }
  std::string body;
  for (const std::string& row : rows) body += row + "</tr>\n";
  const std::string& first = page.comparison.runs.front().policy;
  return TableOf("policies",
                 fmt::format("Policies side by side. ★ best of its column; saved: carbon, against {}. The winner has "
                             "the {}.",
                             first, sim::RuleOf(first)),
                 head, body);
}

std::string LegendMarkup(const SimulationPage& page) {
  std::string list;
  for (const FigureColumn& column : ShownColumns(page)) {
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", Escape(column.head), Escape(column.meaning));
  }
  return "<details class=\"legend\"><summary>What the columns mean</summary><dl>\n" + list + "</dl></details>\n";
}

std::string LatencyTableMarkup(const SimulationPage& page, const std::vector<std::size_t>& services) {
  const std::string head = HeaderCell("policy", true) + HeaderCell("service", true) + HeaderCell("SLO ms", false) +
                           HeaderCell("median ms", false, "of a typical slot") +
                           HeaderCell("percentile ms", false, "of a typical slot") +
                           HeaderCell("worst slot ms", false) + HeaderCell("requests late", false);
  std::string body;
  for (std::size_t run = 0; run < page.comparison.runs.size(); ++run) {
    for (const std::size_t service : services) body += LatencyRow(page, run, service);
  }
  return TableOf("latency-table", "Latency by policy. Median and percentile are those of a typical slot.", head, body);
}

std::string ZoneTableMarkup(const std::vector<ZoneSaving>& zones) {
  std::vector<std::string> names;
  std::vector<std::string> policies;
  const auto keep = [](const std::string& name, std::vector<std::string>& in) {
    if (std::ranges::find(in, name) == in.end()) in.push_back(name);
  };
  for (const ZoneSaving& row : zones) {
    keep(row.zone, names);
    keep(row.policy, policies);
  }
  std::string head = HeaderCell("zone", true);
  for (const std::string& policy : policies) head += HeaderCell(policy, false);
  std::string body;
  for (const std::string& name : names) {
    body += RowName(name);
    for (const std::string& policy : policies) {
      const auto found =
          std::ranges::find_if(zones, [&](const ZoneSaving& row) { return row.zone == name && row.policy == policy; });
      body += Cell(found == zones.end() ? "-" : fmt::format("{:.1f} %", found->saving_percent));
    }
    body += "</tr>\n";
  }
  return names.empty() ? "" : TableOf("zones-table", "Carbon saved by zone and policy.", head, body);
}

}  // namespace heliostat::simulation_page
