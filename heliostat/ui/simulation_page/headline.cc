#include "heliostat/ui/simulation_page/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/control/sim/verdict.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::simulation_page {
namespace {

using report::NumberText;
using report::RoundedText;
using sim::Comparison;
using sim::Figures;

constexpr double kLonger = 1.05;         // times the mean completion time: less is not mentioned
constexpr double kWorthTelling = 0.005;  // share of performance: less is not mentioned

std::string Change(double base, double value) {
  const double share = 1.0 - value / base;
  return fmt::format("{:.1f} % {}", 100.0 * std::abs(share), share >= 0.0 ? "less" : "more");
}

// "with 1 of 120 deadlines missed and 0.2 % of requests late"; empty when there is neither.
std::string Kept(const scenario::Scenario& scenario, const Figures& figures) {
  std::string text;
  if (const std::size_t deadlines = DeadlinesOf(scenario); deadlines > 0) {
    text = fmt::format("with {} of {} deadlines missed", figures.deadline_misses, deadlines);
  }
  if (figures.requests_total > 0.0) {
    text += fmt::format("{} {:.2g} % of requests late", text.empty() ? "with" : " and",
                        100.0 * figures.slo_violation_fraction);
  }
  return text;
}

std::string Joined(std::string text, const std::string& tail) { return tail.empty() ? text : text + ", " + tail; }

// ": 49.8 % less, and 12.1 % less than run-now+sleep"
std::string Against(const Comparison& comparison, std::size_t best) {
  const Figures& base = comparison.figures.front();
  const Figures& chosen = comparison.figures[best];
  std::string text;
  if (base.carbon_kg > 0.0) text = ": " + Change(base.carbon_kg, chosen.carbon_kg);
  const auto asleep = sim::SleepingBaseline(comparison.runs);
  if (asleep && *asleep != best && comparison.figures[*asleep].carbon_kg > 0.0) {
    text += fmt::format(", and {} than {}", Change(comparison.figures[*asleep].carbon_kg, chosen.carbon_kg),
                        comparison.runs[*asleep].policy);
  }
  return text;
}

std::string Sentence(const scenario::Scenario& scenario, const Comparison& comparison, std::optional<std::size_t> won) {
  const std::size_t best = won.value_or(0);
  const Figures& base = comparison.figures.front();
  const Figures& chosen = comparison.figures[best];
  const std::string& name = comparison.runs[best].policy;
  const std::string emits = fmt::format("{} emits {} kg CO2e", name, NumberText(chosen.carbon_kg, 3));
  if (comparison.runs.size() == 1) return Joined(emits, Kept(scenario, chosen));
  if (!won)
    return Joined("no policy keeps every service within its latency percentile; " + emits, Kept(scenario, chosen));
  if (best == 0) return Joined(emits + ", and no eligible policy emits less", Kept(scenario, chosen));
  return Joined(fmt::format("{} where {} emits {} kg{}", emits, comparison.runs.front().policy,
                            NumberText(base.carbon_kg, 3), Against(comparison, best)),
                Kept(scenario, chosen));
}

// Less carbon for less work is not a saving, so the headline states it.
void AddWorkCaveats(const Comparison& comparison, std::size_t best, std::vector<std::string>& caveats) {
  const Figures& base = comparison.figures.front();
  const Figures& chosen = comparison.figures[best];
  const std::string& name = comparison.runs[best].policy;
  const std::string& first = comparison.runs.front().policy;
  if (chosen.jobs_completed < base.jobs_completed) {
    caveats.push_back(
        fmt::format("{} finished {} of {} jobs, while {} finished {}: a part of its saving is work that it did "
                    "not do.",
                    name, chosen.jobs_completed, chosen.jobs_total, first, base.jobs_completed));
  } else if (base.performance > 0.0 && chosen.performance < base.performance * (1.0 - kWorthTelling)) {
    caveats.push_back(fmt::format("Its performance is {}.", Change(base.performance, chosen.performance)));
  }
  if (best != 0 && base.mean_completion_s > 0.0 && chosen.mean_completion_s > kLonger * base.mean_completion_s) {
    caveats.push_back(fmt::format("On average jobs are done {:.1f} h after submission; with {} it is {:.1f} h.",
                                  chosen.mean_completion_s / 3600.0, first, base.mean_completion_s / 3600.0));
  }
}

void AddRival(const Comparison& comparison, const sim::Verdict& verdict, std::vector<std::string>& caveats) {
  const auto& figures = comparison.figures;
  const std::size_t best = verdict.shown();
  std::size_t least = best;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].carbon_kg < figures[least].carbon_kg) least = i;
  }
  if (least == best) return;
  caveats.push_back(fmt::format("{} emits even less, {} kg, but is not eligible: {}.", comparison.runs[least].policy,
                                NumberText(figures[least].carbon_kg, 3),
                                WhyNot(verdict, figures, least, comparison.runs.front().policy)));
}

}  // namespace

std::size_t DeadlinesOf(const scenario::Scenario& scenario) {
  return static_cast<std::size_t>(std::ranges::count_if(
      scenario.jobs, [&](const scenario::Job& job) { return job.deadline && *job.deadline <= scenario.end(); }));
}

Headline HeadlineOf(const scenario::Scenario& scenario, const Comparison& comparison) {
  const sim::Verdict verdict = sim::Judge(comparison.figures);
  Headline headline;
  headline.best = verdict.shown();
  headline.sentence = Sentence(scenario, comparison, verdict.winner);
  AddWorkCaveats(comparison, headline.best, headline.caveats);
  AddRival(comparison, verdict, headline.caveats);
  return headline;
}

std::string SplitSentence(const sim::SavingSplit& split) {
  if (split.stages.empty()) return {};
  const double saved = split.stages.front().carbon_kg - split.stages.back().carbon_kg;
  std::string parts;
  for (std::size_t i = 1; i < split.stages.size(); ++i) {
    const double part = split.stages[i - 1].carbon_kg - split.stages[i].carbon_kg;
    parts += fmt::format("{} {} {} kg", parts.empty() ? "" : ",", split.stages[i].part, NumberText(part, 3));
    if (saved > 0.0) parts += fmt::format(" ({:.0f} %)", 100.0 * part / saved);
  }
  return fmt::format("Of {} kg CO2e saved:{}", NumberText(saved, 3), parts);
}

std::string MassRange(const sim::YearRange& kilograms) {
  const bool in_tonnes = std::max(std::abs(kilograms.low), std::abs(kilograms.high)) >= 1000.0;
  const double unit = in_tonnes ? 1000.0 : 1.0;
  return fmt::format("{} to {} {}", RoundedText(kilograms.low / unit, 2), RoundedText(kilograms.high / unit, 2),
                     in_tonnes ? "t" : "kg");
}

std::string YearSentence(const scenario::Scenario& scenario, const Comparison& comparison, std::size_t best) {
  const auto year = sim::SavedInAYear(scenario, comparison, best);
  if (!year) return {};
  std::string money;
  if (!scenario.price_per_kwh.empty()) {
    money = fmt::format(" and {} to {} {}", RoundedText(year->cost.low, 2), RoundedText(year->cost.high, 2),
                        scenario.currency.code());
  }
  return fmt::format("In a year {} CO2e{} less than {}: {}", MassRange(year->carbon_kg), money,
                     comparison.runs.front().policy, year->Method());
}

std::string BoundSentence(const scenario::Scenario& scenario, const sim::Bound& bound) {
  if (!(bound.carbon_kg > 0.0)) return {};
  std::string text = fmt::format("no policy can emit less than {} kg", NumberText(bound.carbon_kg, 4));
  if (!scenario.price_per_kwh.empty()) {
    text += fmt::format(" or spend less than {} {}", NumberText(bound.cost, 4), scenario.currency.code());
  }
  if (bound.planned_carbon_kg) {
    text += fmt::format("; a plan with perfect knowledge of the future emits {} kg",
                        NumberText(*bound.planned_carbon_kg, 4));
  }
  return text;
}

}  // namespace heliostat::simulation_page
