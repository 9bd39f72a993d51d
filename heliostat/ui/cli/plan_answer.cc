#include "heliostat/ui/cli/plan_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/control/sim/foresight.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

using report::Answer;
using report::NumberText;
using report::PlanView;

constexpr int kDigits = 4;
constexpr double kWorthTelling = 0.005;  // share of work: less is not mentioned

// The quantity that a plan is made for, of the plan and of a baseline.
struct Aim {
  const char* verb;  // "emits"
  const char* tile;  // "carbon"
  std::string unit;
  bool is_less_better = true;
  double planned = 0.0;
  double usual = 0.0;

  std::string Text(double value) const { return fmt::format("{} {}", NumberText(value, kDigits), unit); }
  bool is_known() const { return usual > 0.0 && std::isfinite(planned); }
  double change() const { return planned / usual - 1.0; }
};

Aim AimOf(const PlanView& view, const sim::Figures& usual) {
  const plan::Score& score = view.score();
  const auto objective = plan::ParseObjective(view.answer.objective).value_or(plan::Objective::kMinCarbon);
  const std::string unit = report::UnitOf(objective, view.scenario);
  switch (objective) {
    case plan::Objective::kMinCost:
      return {"costs", "cost", unit, true, score.total.cost, usual.cost};
    case plan::Objective::kMinEnergy:
      return {"uses", "energy", unit, true, InKilowattHours(score.total.facility), usual.energy_kwh};
    case plan::Objective::kMaxPerformance:
      return {"does", "work", unit, false, score.performance, usual.performance};
    case plan::Objective::kMaxPpc:
      return {"does", "work per carbon", report::PerformanceUnit(view.scenario) + " per kg CO2e",
              false,  score.ppc(),       usual.ppc};
    case plan::Objective::kMinCarbon:
      break;
  }
  return {"emits", "carbon", unit, true, score.carbon_kg(), usual.carbon_kg};
}

struct Deadlines {
  std::size_t due = 0;
  std::size_t late = 0;
  std::size_t undone = 0;  // without a deadline
};
Deadlines DeadlinesOf(const PlanView& view) {
  Deadlines count;
  for (std::size_t i = 0; i < view.figures.jobs.size(); ++i) {
    const scenario::Job& job = view.scenario.jobs[i];
    count.due += job.deadline ? 1 : 0;
    count.late += view.figures.jobs[i].is_late(job) ? 1 : 0;
    count.undone += !job.deadline && !view.figures.jobs[i].finish ? 1 : 0;
  }
  return count;
}

std::string AboutBaseline(const std::string& policy) {
  return policy.ends_with("+sleep") ? "running every job at once with idle nodes asleep" : "running every job at once";
}

std::string DeadlineText(const Deadlines& count) {
  if (count.due == 0) return "";
  if (count.late == 0) return fmt::format(", and meets all {} deadlines", count.due);
  return fmt::format(", but misses {} of {} deadlines", count.late, count.due);
}

std::string SignedPercent(double share) {
  return fmt::format("{}{:.1f} %", share < 0.0 ? "−" : "+", 100.0 * std::abs(share));
}

std::string BoundText(const PlanView& view, const Aim& aim) {
  const plan::Outcome& outcome = view.answer.outcome;
  if (!std::isfinite(outcome.gap()) || !std::isfinite(outcome.bound)) {
    return "How much better a plan could be is not known.";
  }
  constexpr double kNothing = 1e-9;
  const std::string plan =
      outcome.missed.empty() ? "no plan" : "no plan that is late with the same jobs only, as little,";
  if (outcome.gap() <= kNothing) return fmt::format("It is proven that {} is better.", plan);
  return fmt::format("It is proven that {} can do better than {}, which is {} % away.", plan, aim.Text(outcome.bound),
                     NumberText(100.0 * outcome.gap(), 2));
}

// What ended the search.
std::string EndText(const PlanView& view) {
  const plan::Outcome& outcome = view.answer.outcome;
  if (outcome.time_decided) {
    return "The time limit ended the search: another run may find another plan. --rounds makes plans independent of "
           "time.";
  }
  if (outcome.status == plan::Termination::kOptimal) return "The search ended because the gap is small enough.";
  if (outcome.rounds_decided) return "The rounds ended the search: more of them may find a better plan.";
  return fmt::format("The search ended after {:.1f} s because it made no further progress.", view.answer.solve_s);
}

void AddCaveats(const PlanView& view, const std::vector<PlanBaseline>& baselines, const Aim& aim,
                const Deadlines& count, Answer& answer) {
  if (!view.answer.outcome.missed.empty()) answer.caveats.push_back(LeastMissesText(view.answer.outcome));
  answer.caveats.push_back(BoundText(view, aim));
  answer.caveats.push_back(EndText(view));
  if (baselines.empty()) return;
  const sim::Figures& usual = baselines.front().figures;
  if (count.undone > 0) {
    answer.caveats.push_back(
        fmt::format("{} job{} without a deadline {} not done: a part of the saving is work that is left out. "
                    "Add --finish-best-effort to plan {} too.",
                    count.undone, count.undone == 1 ? "" : "s", count.undone == 1 ? "is" : "are",
                    count.undone == 1 ? "it" : "them"));
  } else if (view.score().performance < usual.performance * (1.0 - kWorthTelling) && usual.performance > 0.0) {
    answer.caveats.push_back(fmt::format("Its performance is {:.1f} % lower than that of {}.",
                                         100.0 * (1.0 - view.score().performance / usual.performance),
                                         AboutBaseline(baselines.front().policy)));
  }
  if (usual.deadline_misses > 0) {
    answer.caveats.push_back(
        fmt::format("{} misses {} of {} deadlines.", baselines.front().policy, usual.deadline_misses, count.due));
  }
}

}  // namespace

std::string LeastMissesText(const plan::Outcome& outcome) {
  if (outcome.least_misses == 0) return "No plan was found that keeps all deadlines; that none exists is not proven.";
  if (outcome.least_misses >= outcome.missed.size()) return "It is proven that every plan misses as many.";
  return fmt::format("It is proven that every plan misses at least {} deadline{}.", outcome.least_misses,
                     outcome.least_misses == 1 ? "" : "s");
}

Result<std::vector<PlanBaseline>> BaselinesOf(const scenario::Scenario& scenario, bool keeps_nodes_on) {
  sim::CompareOptions options;
  options.policies =
      keeps_nodes_on ? std::vector<std::string>{"run-now"} : std::vector<std::string>{"run-now+sleep", "run-now"};
  options.with_bound = false;
  const auto foresight = sim::PerfectForesight(scenario);
  const auto comparison = sim::Compare(scenario, *foresight, options);
  if (!comparison) return Propagate(comparison);
  std::vector<PlanBaseline> baselines;
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    baselines.push_back({options.policies[i], comparison->figures[i]});
  }
  return baselines;
}

Answer AnswerOf(const PlanView& view, const std::vector<PlanBaseline>& baselines) {
  const Deadlines count = DeadlinesOf(view);
  const Aim aim = AimOf(view, baselines.empty() ? sim::Figures{} : baselines.front().figures);
  Answer answer;
  std::string versus;
  if (aim.is_known()) {
    const std::string about = AboutBaseline(baselines.front().policy);
    const double change = aim.change();
    versus = fmt::format(", {:.1f} % {} than {} ({})", 100.0 * std::abs(change), change < 0.0 ? "less" : "more", about,
                         aim.Text(aim.usual));
    answer.tiles.push_back({aim.tile, SignedPercent(change), "against " + baselines.front().policy});
    if (aim.is_less_better ? change >= 0.0 : change <= 0.0) answer.tone = Answer::Tone::kOpen;
  }
  answer.sentence = fmt::format("The plan {} {}{}{}.", aim.verb, aim.Text(aim.planned), versus, DeadlineText(count));
  answer.tiles.push_back(
      {"plan", aim.Text(aim.planned),
       baselines.size() > 1 && aim.is_known()
           ? fmt::format("{}: {}", baselines.back().policy, aim.Text(AimOf(view, baselines.back().figures).usual))
           : ""});
  if (count.due > 0) {
    answer.tiles.push_back({"deadlines met", fmt::format("{} of {}", count.due - count.late, count.due)});
  }
  if (std::isfinite(view.answer.outcome.gap()) && std::isfinite(view.answer.outcome.bound)) {
    answer.tiles.push_back({"from the proven bound", NumberText(100.0 * view.answer.outcome.gap(), 2) + " %",
                            "bound: " + aim.Text(view.answer.outcome.bound)});
  }
  if (count.late > 0) answer.tone = Answer::Tone::kBad;
  AddCaveats(view, baselines, aim, count, answer);
  return answer;
}

io::Json JsonOf(const std::vector<PlanBaseline>& baselines) {
  io::Json rows{io::Json::Array{}};
  for (const PlanBaseline& baseline : baselines) {
    const sim::Figures& figures = baseline.figures;
    io::Json row;
    row.Set("policy", baseline.policy).Set("carbon_kg", figures.carbon_kg).Set("cost", figures.cost);
    row.Set("energy_kwh", figures.energy_kwh).Set("performance", figures.performance).Set("ppc", figures.ppc);
    row.Set("jobs_completed", figures.jobs_completed);
    rows.Append(std::move(row.Set("deadline_misses", figures.deadline_misses)));
  }
  return rows;
}

}  // namespace heliostat::cli
