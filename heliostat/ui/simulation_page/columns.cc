#include "heliostat/ui/simulation_page/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/control/sim/verdict.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::simulation_page {
namespace {

using sim::Figures;

std::string Number(double value) { return report::NumberText(value, 4); }
std::string Hours(double seconds) { return fmt::format("{:.1f}", seconds / 3600.0); }

FigureColumn SavedColumn(std::string head, const std::string& meaning, const Figures& base) {
  return {std::move(head), meaning, [](const Figures& f) { return f.carbon_kg; },
          [kg = base.carbon_kg](const Figures& f) { return SavedText(kg, f.carbon_kg); }, Better::kLess};
}

std::string EligibleText(const sim::Eligibility& one) {
  if (one.is_eligible()) return "yes";
  if (one.keeps_jobs) return "no: SLO";
  return one.keeps_services ? "no: jobs" : "no: both";
}

void AddTotals(const scenario::Scenario& scenario, const sim::Comparison& comparison,
               std::vector<FigureColumn>& columns) {
  const Figures& base = comparison.figures.front();
  const std::string& first = comparison.runs.front().policy;
  columns.push_back({"kg CO2e", "carbon of all electricity used", [](const Figures& f) { return f.carbon_kg; },
                     [](const Figures& f) { return Number(f.carbon_kg); }, Better::kLess});
  columns.push_back(SavedColumn("saved", fmt::format("carbon, against {}", first), base));
  if (const auto asleep = sim::SleepingBaseline(comparison.runs)) {
    columns.push_back(SavedColumn("vs sleep", fmt::format("carbon saved against {}", comparison.runs[*asleep].policy),
                                  comparison.figures[*asleep]));
  }
  if (!scenario.price_per_kwh.empty()) {
    columns.push_back({std::string(scenario.currency.code()), "cost of electricity from the grid",
                       [](const Figures& f) { return f.cost; }, [](const Figures& f) { return Number(f.cost); },
                       Better::kLess});
  }
  columns.push_back({"kWh", "energy of the whole site, PUE included", [](const Figures& f) { return f.energy_kwh; },
                     [](const Figures& f) { return Number(f.energy_kwh); }, Better::kLess});
  columns.push_back({"perf/kg", "performance per kg CO2e", [](const Figures& f) { return f.ppc; },
                     [](const Figures& f) { return Number(f.ppc); }, Better::kMore});
}

void AddService(const scenario::Scenario& scenario, std::vector<FigureColumn>& columns) {
  columns.push_back({"done", "jobs finished within the horizon",
                     [](const Figures& f) { return static_cast<double>(f.jobs_completed); },
                     [](const Figures& f) { return fmt::format("{}/{}", f.jobs_completed, f.jobs_total); },
                     Better::kMore});
  columns.push_back({"late", "jobs not done by their deadline",
                     [](const Figures& f) { return static_cast<double>(f.deadline_misses); },
                     [](const Figures& f) { return fmt::format("{}", f.deadline_misses); }, Better::kLess});
  if (!scenario.services.empty()) {
    columns.push_back({"SLO broken", "share of requests that arrived while the latency objective (SLO) was not met",
                       [](const Figures& f) { return f.slo_violation_fraction; },
                       [](const Figures& f) { return fmt::format("{:.2f} %", 100.0 * f.slo_violation_fraction); },
                       Better::kLess});
  }
  columns.push_back({"mean h", "mean hours from submission to completion",
                     [](const Figures& f) { return f.mean_completion_s; },
                     [](const Figures& f) { return Hours(f.mean_completion_s); }, Better::kLess});
  columns.push_back({"p95 h", "95 % of jobs are done within these hours",
                     [](const Figures& f) { return f.p95_completion_s; },
                     [](const Figures& f) { return Hours(f.p95_completion_s); }, Better::kLess});
}

}  // namespace

std::string SavedText(double base, double value) {
  if (!(base > 0.0)) return "-";
  return fmt::format("{:+.1f} %", 100.0 * (1.0 - value / base));
}

std::vector<FigureColumn> ColumnsOf(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  const Figures& base = comparison.figures.front();
  std::vector<FigureColumn> columns;
  AddTotals(scenario, comparison, columns);
  AddService(scenario, columns);
  columns.push_back({"eligible", "may win: " + sim::RuleOf(comparison.runs.front().policy),
                     [base](const Figures& f) { return sim::EligibilityOf(base, f).is_eligible() ? 1.0 : 0.0; },
                     [base](const Figures& f) { return EligibleText(sim::EligibilityOf(base, f)); }, Better::kNeither});
  columns.push_back({"wake-ups", "how often a sleeping node was woken",
                     [](const Figures& f) { return static_cast<double>(f.wake_ups); },
                     [](const Figures& f) { return fmt::format("{}", f.wake_ups); }, Better::kNeither});
  columns.push_back({std::string(kIdleColumn), "hours in which nodes were on but idle",
                     [](const Figures& f) { return f.idle_node_hours; },
                     [](const Figures& f) { return Number(f.idle_node_hours); }, Better::kNeither});
  columns.push_back({std::string(kWallColumn), "seconds to simulate the policy",
                     [](const Figures& f) { return f.wall_s; },
                     [](const Figures& f) { return fmt::format("{:.2f}", f.wall_s); }, Better::kNeither});
  return columns;
}

std::vector<bool> BestOf(const FigureColumn& column, const std::vector<Figures>& figures) {
  std::vector<bool> best(figures.size(), false);
  if (column.better == Better::kNeither || figures.size() < 2) return best;
  const double sign = column.better == Better::kMore ? 1.0 : -1.0;
  double top = sign * column.value(figures.front());
  bool alike = true;
  for (const Figures& f : figures) {
    alike = alike && column.value(f) == column.value(figures.front());
    top = std::max(top, sign * column.value(f));
  }
  for (std::size_t i = 0; i < figures.size() && !alike; ++i) best[i] = sign * column.value(figures[i]) == top;
  return best;
}

}  // namespace heliostat::simulation_page
