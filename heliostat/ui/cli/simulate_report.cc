#include "heliostat/ui/cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/control/sim/verdict.h"
#include "heliostat/ui/cli/simulate_tables.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/simulation_page/columns.h"
#include "heliostat/ui/simulation_page/headline.h"

namespace heliostat::cli {
namespace {

std::string Counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string LineOf(const std::string& sentence) { return sentence.empty() ? "" : sentence + "\n"; }

// The winner, with everything that qualifies it.
std::string AnswerText(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  const simulation_page::Headline headline = simulation_page::HeadlineOf(scenario, comparison);
  const bool has_winner = comparison.runs.size() > 1 && sim::Judge(comparison.figures).winner.has_value();
  std::string text = LineOf((has_winner ? "winner: " : "") + headline.sentence);
  text += LineOf(simulation_page::SplitSentence(comparison.split));
  text += LineOf(simulation_page::YearSentence(scenario, comparison, headline.best));
  for (const std::string& caveat : headline.caveats) text += LineOf(caveat);
  return text;
}

}  // namespace

std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured) {
  const auto columns = simulation_page::ColumnsOf(scenario, comparison);
  report::HtmlTable table{.header = {"policy"}, .rows = {}};
  for (const sim::SimulatedRun& run : comparison.runs) table.rows.push_back({run.policy});
  for (const simulation_page::FigureColumn& column : columns) {
    table.header.push_back(column.head + " ");
    const auto best = simulation_page::BestOf(column, comparison.figures);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::string cell = column.text(comparison.figures[i]) + (best[i] ? "*" : " ");
      table.rows[i].push_back(best[i] && coloured ? "\x1b[1;32m" + cell + "\x1b[0m" : cell);
    }
  }
  std::string text = fmt::format("{}: {}, {}, {} to {}\n\n", scenario.name, Counted(scenario.jobs.size(), "job"),
                                 Counted(scenario.services.size(), "service"), FormatInstant(scenario.start),
                                 FormatInstant(scenario.end()));
  text += report::TextOf(table);
  text += fmt::format("\n* best of its column; saved: carbon, against {}; the winner has the {}\n",
                      comparison.runs.front().policy, sim::RuleOf(comparison.runs.front().policy));
  text += "\n" + AnswerText(scenario, comparison);
  return text + LineOf(simulation_page::BoundSentence(scenario, comparison.bound));
}

namespace {

io::Json SplitJson(const sim::SavingSplit& split) {
  if (split.stages.empty()) return nullptr;
  io::Json::Array parts;
  for (std::size_t i = 1; i < split.stages.size(); ++i) {
    const sim::SavingStage& before = split.stages[i - 1];
    const sim::SavingStage& stage = split.stages[i];
    io::Json part;
    part.Set("part", stage.part)
        .Set("simulated", stage.how)
        .Set("carbon_kg", stage.carbon_kg)
        .Set("cost", stage.cost)
        .Set("saved_carbon_kg", before.carbon_kg - stage.carbon_kg)
        .Set("saved_cost", before.cost - stage.cost);
    parts.push_back(std::move(part));
  }
  io::Json json;
  json.Set("saved_carbon_kg", split.stages.front().carbon_kg - split.stages.back().carbon_kg)
      .Set("saved_cost", split.stages.front().cost - split.stages.back().cost)
      .Set("parts", std::move(parts));
  return json;
}

io::Json RangeJson(const sim::YearRange& range) {
  io::Json json;
  json.Set("low", range.low).Set("mean", range.mean).Set("high", range.high);
  return json;
}

io::Json YearJson(const scenario::Scenario& scenario, const sim::Comparison& comparison, std::size_t best) {
  const auto year = sim::SavedInAYear(scenario, comparison, best);
  if (!year) return nullptr;
  io::Json::Array parts;
  for (const sim::SavedInPart& part : year->parts) {
    io::Json json;
    json.Set("start", FormatInstant(part.span.begin))
        .Set("end", FormatInstant(part.span.end))
        .Set("saved_carbon_kg", part.carbon_kg)
        .Set("saved_cost", part.cost);
    parts.push_back(std::move(json));
  }
  io::Json json;
  json.Set("saved_carbon_kg", RangeJson(year->carbon_kg))
      .Set("saved_cost", RangeJson(year->cost))
      .Set("method", year->Method())
      .Set("rests_on", std::move(parts));
  return json;
}

io::Json PolicyJson(const sim::Comparison& comparison, const sim::Verdict& verdict, std::size_t i) {
  const sim::Figures& f = comparison.figures[i];
  const std::string why_not = WhyNot(verdict, comparison.figures, i, comparison.runs.front().policy);
  io::Json policy;
  policy.Set("name", comparison.runs[i].policy)
      .Set("eligible", verdict.policies[i].is_eligible())
      .Set("why_not", why_not.empty() ? io::Json(nullptr) : io::Json(why_not))
      .Set("carbon_kg", f.carbon_kg)
      .Set("cost", f.cost)
      .Set("energy_kwh", f.energy_kwh)
      .Set("grid_kwh", f.grid_kwh)
      .Set("renewable_used_kwh", f.renewable_used_kwh)
      .Set("performance", f.performance)
      .Set("ppc", f.ppc)
      .Set("jobs_total", f.jobs_total)
      .Set("jobs_completed", f.jobs_completed)
      .Set("deadline_misses", f.deadline_misses)
      .Set("jobs_late_or_undone", f.jobs_late_or_undone)
      .Set("requests_total", f.requests_total)
      .Set("slo_violation_fraction", f.slo_violation_fraction)
      .Set("services_broken", f.services_broken)
      .Set("mean_completion_s", f.mean_completion_s)
      .Set("p95_completion_s", f.p95_completion_s)
      .Set("wake_ups", f.wake_ups)
      .Set("idle_node_hours", f.idle_node_hours)
      .Set("failures", comparison.runs[i].failures)
      .Set("wall_s", f.wall_s);
  const sim::SimulatedRun& run = comparison.runs[i];
  if (run.plans > 0) policy.Set("plans", run.plans);
  if (run.own_plan) {
    io::Json own;
    own.Set("carbon_kg", InKilograms(run.own_plan->carbon)).Set("cost", run.own_plan->cost);
    policy.Set("own_plan", std::move(own));
  }
  return policy;
}

}  // namespace

io::Json JsonOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool with_details) {
  const sim::Verdict verdict = sim::Judge(comparison.figures);
  const std::string& baseline = comparison.runs.front().policy;
  io::Json winner;
  if (verdict.winner) winner.Set("policy", comparison.runs[*verdict.winner].policy).Set("why", sim::RuleOf(baseline));
  io::Json bound;
  bound.Set("carbon_kg", comparison.bound.carbon_kg).Set("cost", comparison.bound.cost);
  if (comparison.bound.planned_carbon_kg) bound.Set("planned_carbon_kg", *comparison.bound.planned_carbon_kg);
  if (comparison.bound.planned_cost) bound.Set("planned_cost", *comparison.bound.planned_cost);
  const auto asleep = sim::SleepingBaseline(comparison.runs);
  io::Json::Array policies;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    policies.push_back(PolicyJson(comparison, verdict, i));
    if (with_details) AddDetails(scenario, comparison.runs[i], policies.back());
  }
  io::Json document;
  document.Set("scenario", scenario.name)
      .Set("currency", std::string(scenario.currency.code()))
      .Set("start", FormatInstant(scenario.start))
      .Set("end", FormatInstant(scenario.end()))
      .Set("baseline", baseline)
      .Set("sleeping_baseline", asleep ? io::Json(comparison.runs[*asleep].policy) : io::Json(nullptr))
      .Set("winner", std::move(winner))
      .Set("saving_split", SplitJson(comparison.split))
      .Set("year", YearJson(scenario, comparison, verdict.shown()))
      .Set("bound", std::move(bound))
      .Set("policies", std::move(policies));
  return document;
}

}  // namespace heliostat::cli
