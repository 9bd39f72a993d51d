#include "heliostat/ui/experiments/design.h"

#include <fmt/format.h>

#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {

std::vector<StudySeason> SeasonsFor(Size size) {
  using std::chrono::sys_days;
  using std::chrono::year;
  std::vector<StudySeason> seasons{{"Jan", sys_days{year{2024} / 1 / 15}},
                                   {"Apr", sys_days{year{2024} / 4 / 15}},
                                   {"Jul", sys_days{year{2024} / 7 / 15}},
                                   {"Oct", sys_days{year{2024} / 10 / 14}}};
  if (size == Size::kQuick) seasons.resize(1);
  return seasons;
}

Case BaseCase(const char* study, const std::string& place, const StudySeason& season, const Demand& demand, Size size) {
  Case one;
  one.labels = {study, place, season.name, "none", demand.slack_name, demand.load_name, ""};
  workload::ScenarioRecipe& recipe = one.recipe;
  recipe.start = season.start;
  recipe.slack = demand.slack;
  recipe.load = demand.load;
  recipe.on_site = workload::OnSite::kNone;
  recipe.knob_steps = 5;
  if (size == Size::kQuick) {
    recipe.slots = 48;
    recipe.hardware = {{"A40", 1, 8}, {"V100", 2, 4}};
    recipe.jobs = 8;
  } else {
    recipe.hardware = {{"A40", 4, 8}, {"V100", 8, 4}};
    recipe.jobs = demand.load > 0.3 ? 64 : 40;
  }
  return one;
}

double CarbonPerWork(const CaseScore& score) {
  return score.figures.performance > 0.0 ? score.figures.carbon_kg / score.figures.performance : 0.0;
}

double CostPerWork(const CaseScore& score) {
  return score.figures.performance > 0.0 ? score.figures.cost / score.figures.performance : 0.0;
}

std::string Percent(double share, int digits) { return fmt::format("{:.{}f} %", share * 100.0, digits); }

std::string PercentSpread(const std::vector<double>& shares) {
  const Spread spread = SpreadOf(shares);
  return fmt::format("{:.1f} % ({:.0f} .. {:.0f})", spread.mean * 100.0, spread.low * 100.0, spread.high * 100.0);
}

Keeping KeepingOf(const std::vector<const CaseScore*>& scores) {
  double jobs = 0.0;
  double late = 0.0;
  double undone = 0.0;
  double requests = 0.0;
  double violated = 0.0;
  for (const CaseScore* score : scores) {
    const sim::Figures& figures = score->figures;
    jobs += static_cast<double>(figures.jobs_total);
    late += static_cast<double>(figures.deadline_misses);
    undone += static_cast<double>(figures.jobs_total - figures.jobs_completed);
    requests += figures.requests_total;
    violated += figures.slo_violation_fraction * figures.requests_total;
  }
  Keeping keeping;
  if (jobs > 0.0) keeping.misses = late / jobs;
  if (jobs > 0.0) keeping.undone = undone / jobs;
  if (requests > 0.0) keeping.violations = violated / requests;
  return keeping;
}

io::Json ToJson(const Keeping& keeping) {
  io::Json json;
  json.Set("deadline_miss_share", keeping.misses);
  json.Set("undone_share", keeping.undone);
  json.Set("slo_violation_share", keeping.violations);
  return json;
}

std::string Judged(bool holds, Size size) {
  if (size == Size::kQuick) return "not judged";
  return holds ? "reached" : "not reached";
}

void Judge(int held, int all, Size size, report::Answer& answer) {
  using Tone = report::Answer::Tone;
  answer.tone = held == all ? Tone::kGood : held > 0 ? Tone::kOpen : Tone::kBad;
  if (size != Size::kQuick) return;
  answer.tone = Tone::kOpen;
  answer.tiles.clear();
  answer.sentence = "Nothing is judged: this is a tiny design for tests, and its numbers mean nothing.";
}

}  // namespace heliostat::experiments
