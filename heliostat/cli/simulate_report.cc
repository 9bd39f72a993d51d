#include "heliostat/cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "heliostat/report/axis.h"

namespace heliostat::cli {
namespace {

// One column of the table: what it shows, and whether less or more of it is better.
struct Column {
  std::string head;
  std::function<double(const sim::Figures&)> value;
  std::function<std::string(const sim::Figures&)> text;
  int better;  // -1: less, 1: more, 0: neither
};
constexpr int kLess = -1;
constexpr int kMore = 1;
constexpr int kNeither = 0;

std::string Percent(double share) { return fmt::format("{:.2f} %", 100.0 * share); }

std::vector<Column> ColumnsOf(const scenario::Scenario& scenario, const sim::Figures& base) {
  using sim::Figures;
  const auto number = [](double value) { return report::NumberText(value, 4); };
  std::vector<Column> columns;
  columns.push_back({"kg CO2e", [](const Figures& f) { return f.carbon_kg; },
                     [number](const Figures& f) { return number(f.carbon_kg); }, kLess});
  columns.push_back({"saved", [](const Figures& f) { return f.carbon_kg; },
                     [base](const Figures& f) {
                       if (base.carbon_kg <= 0.0) return std::string("-");
                       return fmt::format("{:+.1f} %", 100.0 * (1.0 - f.carbon_kg / base.carbon_kg));
                     },
                     kLess});
  if (!scenario.price_per_kwh.empty()) {
    columns.push_back({std::string(scenario.currency.code()), [](const Figures& f) { return f.cost; },
                       [number](const Figures& f) { return number(f.cost); }, kLess});
  }
  columns.push_back({"kWh", [](const Figures& f) { return f.energy_kwh; },
                     [number](const Figures& f) { return number(f.energy_kwh); }, kLess});
  columns.push_back(
      {"perf/kg", [](const Figures& f) { return f.ppc; }, [number](const Figures& f) { return number(f.ppc); }, kMore});
  columns.push_back({"done", [](const Figures& f) { return static_cast<double>(f.jobs_completed); },
                     [](const Figures& f) { return fmt::format("{}/{}", f.jobs_completed, f.jobs_total); }, kMore});
  columns.push_back({"late", [](const Figures& f) { return static_cast<double>(f.deadline_misses); },
                     [](const Figures& f) { return fmt::format("{}", f.deadline_misses); }, kLess});
  if (!scenario.services.empty()) {
    columns.push_back({"SLO broken", [](const Figures& f) { return f.slo_violation_fraction; },
                       [](const Figures& f) { return Percent(f.slo_violation_fraction); }, kLess});
  }
  columns.push_back({"mean h", [](const Figures& f) { return f.mean_completion_s; },
                     [](const Figures& f) { return fmt::format("{:.1f}", f.mean_completion_s / 3600.0); }, kLess});
  columns.push_back({"p95 h", [](const Figures& f) { return f.p95_completion_s; },
                     [](const Figures& f) { return fmt::format("{:.1f}", f.p95_completion_s / 3600.0); }, kLess});
  columns.push_back({"wake-ups", [](const Figures& f) { return static_cast<double>(f.wake_ups); },
                     [](const Figures& f) { return fmt::format("{}", f.wake_ups); }, kNeither});
  columns.push_back({"idle node h", [](const Figures& f) { return f.idle_node_hours; },
                     [number](const Figures& f) { return number(f.idle_node_hours); }, kNeither});
  columns.push_back({"wall s", [](const Figures& f) { return f.wall_s; },
                     [](const Figures& f) { return fmt::format("{:.2f}", f.wall_s); }, kNeither});
  return columns;
}

// "*" behind the best of a column and bold where the terminal can; nothing when all are alike.
std::vector<bool> BestOf(const Column& column, const std::vector<sim::Figures>& figures) {
  std::vector<bool> best(figures.size(), false);
  if (column.better == 0 || figures.size() < 2) return best;
  double top = column.better * column.value(figures.front());
  bool alike = true;
  for (const auto& f : figures) {
    alike = alike && column.value(f) == column.value(figures.front());
    top = std::max(top, column.better * column.value(f));
  }
  for (std::size_t i = 0; i < figures.size() && !alike; ++i) best[i] = column.better * column.value(figures[i]) == top;
  return best;
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
      text += fmt::format("{} left {} jobs undone: its figures are for less work\n", comparison.runs[i].policy,
                          figures.jobs_total - figures.jobs_completed);
    }
  }
  return text;
}

}  // namespace

std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured) {
  const auto columns = ColumnsOf(scenario, comparison.figures.front());
  std::vector<std::vector<std::string>> rows(comparison.runs.size());
  std::vector<std::vector<bool>> bold(comparison.runs.size());
  std::vector<std::string> head{"policy"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(comparison.runs[i].policy);
    bold[i].push_back(false);
  }
  for (const Column& column : columns) {
    head.push_back(column.head + " ");
    const auto best = BestOf(column, comparison.figures);
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
  std::string text =
      fmt::format("{}: {} jobs, {} services, {} to {}\n\n", scenario.name, scenario.jobs.size(),
                  scenario.services.size(), FormatInstant(scenario.start), FormatInstant(scenario.end()));
  text += Row(head, widths, {});
  for (std::size_t i = 0; i < rows.size(); ++i) text += Row(rows[i], widths, bold[i]);
  text += fmt::format("\n* best of its column; saved: carbon, against {}\n", comparison.runs.front().policy);
  text += fmt::format("no policy can emit less than {} kg", report::NumberText(comparison.bound.carbon_kg, 4));
  if (!scenario.price_per_kwh.empty()) {
    text += fmt::format(" or spend less than {} {}", report::NumberText(comparison.bound.cost, 4),
                        scenario.currency.code());
  }
  if (comparison.bound.planned_carbon_kg) {
    text += fmt::format("; a plan that knows everything beforehand emits {} kg",
                        report::NumberText(*comparison.bound.planned_carbon_kg, 4));
  }
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
