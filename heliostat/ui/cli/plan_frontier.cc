#include "heliostat/ui/cli/plan_frontier.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

using planner::TradeOffAxis;
using report::NumberText;

struct NamedAxis {
  TradeOffAxis axis;
  std::string_view name;
};
constexpr std::array<NamedAxis, 4> kAxes{{{TradeOffAxis::kCarbon, "carbon"},
                                          {TradeOffAxis::kCost, "cost"},
                                          {TradeOffAxis::kPerformance, "performance"},
                                          {TradeOffAxis::kEnergy, "energy"}}};

std::string NameOf(TradeOffAxis axis) {
  for (const NamedAxis& known : kAxes) {
    if (known.axis == axis) return std::string(known.name);
  }
  return "";
}

std::string UnitOf(TradeOffAxis axis, const scenario::Scenario& scenario) {
  switch (axis) {
    case TradeOffAxis::kCarbon:
      return "kg CO2e";
    case TradeOffAxis::kCost:
      return std::string(scenario.currency.code());
    case TradeOffAxis::kPerformance:
      return report::PerformanceUnit(scenario);
    case TradeOffAxis::kEnergy:
      return "kWh";
  }
  return "";
}

double ValueOf(TradeOffAxis axis, const plan::Score& score) {
  switch (axis) {
    case TradeOffAxis::kCarbon:
      return score.carbon_kg();
    case TradeOffAxis::kCost:
      return score.total.cost;
    case TradeOffAxis::kPerformance:
      return score.performance;
    case TradeOffAxis::kEnergy:
      return InKilowattHours(score.total.facility);
  }
  return 0.0;
}

Result<TradeOffAxis> ParseAxis(std::string_view name) {
  std::string names;
  for (const NamedAxis& known : kAxes) {
    if (known.name == name) return known.axis;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  return Fail(ErrorCode::kInvalidArgument, "--pareto",
              name.empty() ? "one quantity is missing" : fmt::format("'{}' is not a quantity", Printable(name, 40)),
              "two of " + names + ", separated by a comma");
}

// In percent; "0" for what is only rounding.
std::string GapText(double gap) {
  constexpr double kRounding = 1e-9;
  return !std::isfinite(gap) ? "-" : NumberText(gap < kRounding ? 0.0 : gap * 100, 2);
}

report::HtmlTable PointTable(const planner::Frontier& frontier, const scenario::Scenario& scenario) {
  const std::string cost = fmt::format("cost {}", scenario.currency.code());
  report::HtmlTable table{.header = {"", "carbon kg", cost, "energy kWh", "performance", "per kg", "status", "gap %"},
                          .rows = {},
                          .text_columns = 1};
  for (const plan::PlanAnswer& answer : frontier.answers) {
    if (!answer.outcome.has_plan()) continue;
    const plan::Score& score = answer.outcome.score();
    table.rows.push_back({fmt::format("{}", table.rows.size() + 1), NumberText(score.carbon_kg(), 4),
                          NumberText(score.total.cost, 4), NumberText(ValueOf(TradeOffAxis::kEnergy, score), 4),
                          NumberText(score.performance, 4), NumberText(score.ppc(), 4),
                          std::string(plan::NameOf(answer.outcome.status)), GapText(answer.outcome.gap())});
  }
  return table;
}

}  // namespace

Result<std::pair<TradeOffAxis, TradeOffAxis>> ParseAxes(const std::string& text) {
  const std::size_t comma = text.find(',');
  const auto first = ParseAxis(std::string_view(text).substr(0, comma));
  if (!first) return Propagate(first);
  const auto second = ParseAxis(comma == std::string::npos ? "" : std::string_view(text).substr(comma + 1));
  if (!second) return Propagate(second);
  if (*first == *second) {
    return Fail(ErrorCode::kInvalidArgument, "--pareto",
                fmt::format("'{}' names the same axis twice", Printable(text, 40)), "two different axes");
  }
  return std::pair(*first, *second);
}

std::string TextOf(const planner::Frontier& frontier, const scenario::Scenario& scenario) {
  return fmt::format("Trade-off of {} ({}) and {} ({}): no plan is better than another in both\n\n{}",
                     NameOf(frontier.first), UnitOf(frontier.first, scenario), NameOf(frontier.second),
                     UnitOf(frontier.second, scenario), TextOf(PointTable(frontier, scenario)));
}

io::Json JsonOf(const planner::Frontier& frontier) {
  io::Json points{io::Json::Array{}};
  for (const plan::PlanAnswer& answer : frontier.answers) {
    if (!answer.outcome.has_plan()) continue;
    const plan::Score& score = answer.outcome.score();
    io::Json row;
    row.Set("solver", answer.solver).Set("status", plan::NameOf(answer.outcome.status));
    row.Set("carbon_kg", score.carbon_kg()).Set("cost", score.total.cost);
    row.Set("energy_kwh", InKilowattHours(score.total.facility)).Set("grid_kwh", InKilowattHours(score.total.grid));
    row.Set("renewable_used_kwh", InKilowattHours(score.total.renewable_used));
    row.Set("performance", score.performance).Set("ppc", score.ppc()).Set("wake_ups", score.wake_ups);
    row.Set("objective", answer.objective).Set("bound", answer.outcome.bound);
    points.Append(std::move(row.Set("gap", answer.outcome.gap()).Set("solve_s", answer.solve_s)));
  }
  io::Json json;
  json.Set("x", NameOf(frontier.first)).Set("y", NameOf(frontier.second));
  return json.Set("points", std::move(points));
}

report::FrontierChart ChartOf(const planner::Frontier& frontier, const scenario::Scenario& scenario) {
  report::FrontierChart chart{NameOf(frontier.first),
                              UnitOf(frontier.first, scenario),
                              NameOf(frontier.second),
                              UnitOf(frontier.second, scenario),
                              {},
                              {}};
  for (const plan::PlanAnswer& answer : frontier.answers) {
    if (!answer.outcome.has_plan()) continue;
    chart.x.push_back(ValueOf(frontier.first, answer.outcome.score()));
    chart.y.push_back(ValueOf(frontier.second, answer.outcome.score()));
  }
  return chart;
}

report::PageSection SectionOf(const planner::Frontier& frontier, const scenario::Scenario& scenario) {
  return {.heading = "Points of the trade-off",
          .id = "points",
          .paragraphs = {"Each point is a plan. No other point is better in both."},
          .tables = {PointTable(frontier, scenario)}};
}

}  // namespace heliostat::cli
