#include "heliostat/ui/cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/ui/simulation_page/columns.h"
#include "heliostat/ui/simulation_page/headline.h"

namespace heliostat::cli {
namespace {

std::string Counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string Row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                const std::vector<bool>& bold) {
  std::string row = fmt::format("{:<{}}", cells[0], widths[0]);
  for (std::size_t c = 1; c < cells.size(); ++c) {
    const std::string padded = fmt::format("{:>{}}", cells[c], widths[c]);
    row += "  ";
    row += !bold.empty() && bold[c] ? "\x1b[1;32m" + padded + "\x1b[0m" : padded;
  }
  while (!row.empty() && row.back() == ' ') row.pop_back();
  return row + "\n";
}

std::string Advice(const sim::Comparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const sim::Figures& figures = comparison.figures[i];
    if (figures.jobs_completed < comparison.figures.front().jobs_completed) {
      text += fmt::format("{} did not finish {}: its figures are for less work\n", comparison.runs[i].policy,
                          Counted(figures.jobs_total - figures.jobs_completed, "job"));
    }
  }
  return text;
}

}  // namespace

std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured) {
  const auto columns = simulation_page::ColumnsOf(scenario, comparison);
  std::vector<std::vector<std::string>> rows(comparison.runs.size());
  std::vector<std::vector<bool>> bold(comparison.runs.size());
  std::vector<std::string> head{"policy"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(comparison.runs[i].policy);
    bold[i].push_back(false);
  }
  for (const simulation_page::FigureColumn& column : columns) {
    head.push_back(column.head + " ");
    const auto best = simulation_page::BestOf(column, comparison.figures);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].push_back(column.text(comparison.figures[i]) + (best[i] ? "*" : " "));
      bold[i].push_back(best[i] && coloured);
    }
  }
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < head.size(); ++c) {
    std::size_t width = head[c].size();
    for (const auto& row : rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string text = fmt::format("{}: {}, {}, {} to {}\n\n", scenario.name, Counted(scenario.jobs.size(), "job"),
                                 Counted(scenario.services.size(), "service"), FormatInstant(scenario.start),
                                 FormatInstant(scenario.end()));
  text += Row(head, widths, {});
  for (std::size_t i = 0; i < rows.size(); ++i) text += Row(rows[i], widths, bold[i]);
  text += fmt::format("\n* best of its column; saved: carbon, against {}\n", comparison.runs.front().policy);
  text += simulation_page::BoundSentence(scenario, comparison.bound);
  return text + "\n" + Advice(comparison);
}

io::Json JsonOf(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  io::Json policies = io::Json::Array();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const sim::Figures& f = comparison.figures[i];
    io::Json policy;
    policy.Set("name", comparison.runs[i].policy)
        .Set("carbon_kg", f.carbon_kg)
        .Set("cost", f.cost)
        .Set("energy_kwh", f.energy_kwh)
        .Set("grid_kwh", f.grid_kwh)
        .Set("renewable_used_kwh", f.renewable_used_kwh)
        .Set("performance", f.performance)
        .Set("ppc", f.ppc)
        .Set("jobs_total", static_cast<std::int64_t>(f.jobs_total))
        .Set("jobs_completed", static_cast<std::int64_t>(f.jobs_completed))
        .Set("deadline_misses", static_cast<std::int64_t>(f.deadline_misses))
        .Set("requests_total", f.requests_total)
        .Set("slo_violation_fraction", f.slo_violation_fraction)
        .Set("mean_completion_s", f.mean_completion_s)
        .Set("p95_completion_s", f.p95_completion_s)
        .Set("wake_ups", f.wake_ups)
        .Set("idle_node_hours", f.idle_node_hours)
        .Set("failures", comparison.runs[i].failures)
        .Set("wall_s", f.wall_s);
    policies.Append(std::move(policy));
  }
  io::Json bound;
  bound.Set("carbon_kg", comparison.bound.carbon_kg).Set("cost", comparison.bound.cost);
  if (comparison.bound.planned_carbon_kg) bound.Set("planned_carbon_kg", *comparison.bound.planned_carbon_kg);
  if (comparison.bound.planned_cost) bound.Set("planned_cost", *comparison.bound.planned_cost);
  io::Json document;
  document.Set("scenario", scenario.name)
      .Set("currency", std::string(scenario.currency.code()))
      .Set("policies", std::move(policies))
      .Set("bound", std::move(bound));
  return document;
}

}  // namespace heliostat::cli
