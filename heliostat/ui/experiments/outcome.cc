#include "heliostat/ui/experiments/outcome.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/experiments/setup.h"

namespace heliostat::experiments {
namespace {

using sim::Figures;

constexpr std::array<std::pair<const char*, double Figures::*>, 11> kNumbers{{
    {"carbon_kg", &Figures::carbon_kg},
    {"cost", &Figures::cost},
    {"energy_kwh", &Figures::energy_kwh},
    {"grid_kwh", &Figures::grid_kwh},
    {"renewable_used_kwh", &Figures::renewable_used_kwh},
    {"performance", &Figures::performance},
    {"ppc", &Figures::ppc},
    {"requests_total", &Figures::requests_total},
    {"slo_violation_fraction", &Figures::slo_violation_fraction},
    {"mean_completion_s", &Figures::mean_completion_s},
    {"p95_completion_s", &Figures::p95_completion_s},
}};
constexpr std::array<std::pair<const char*, std::size_t Figures::*>, 3> kCounts{{
    {"jobs_total", &Figures::jobs_total},
    {"jobs_completed", &Figures::jobs_completed},
    {"deadline_misses", &Figures::deadline_misses},
}};
constexpr std::array<std::string_view, 4> kSightKinds{"forecast", "signals", "perfect", "disturbed"};

Result<std::unique_ptr<sim::Foresight>> ForesightOf(const Sight& sight, const Setup& setup, std::uint64_t seed) {
  switch (sight.kind) {
    case Sight::Kind::kForecast:
      return sim::ForecastForesight(setup.scenario, setup.past, "auto");
    case Sight::Kind::kSignals:
      return sim::PerfectForesight(setup.scenario, false);
    case Sight::Kind::kPerfect:
      return sim::PerfectForesight(setup.scenario, true);
    case Sight::Kind::kDisturbed:
      break;
  }
  return sim::DisturbedForesight(setup.scenario, sight.error, seed);
}

// Above the horizon's 75th percentile of price.
std::vector<bool> PeakSlots(const scenario::Scenario& scenario) {
  if (scenario.price_per_kwh.empty()) return std::vector<bool>(scenario.slots, false);
  std::vector<double> sorted = scenario.price_per_kwh;
  std::sort(sorted.begin(), sorted.end());
  const double quartile = sorted[(sorted.size() - 1) * 3 / 4];
  std::vector<bool> is_peak;
  for (const double price : scenario.price_per_kwh) is_peak.push_back(price > quartile);
  return is_peak;
}

double PeakShare(const std::vector<bool>& is_peak, const sim::SimulatedRun& run) {
  Joules peak;
  Joules all;
  for (std::size_t slot = 0; slot < run.draws.size(); ++slot) {
    all += run.draws[slot].training;
    if (is_peak[slot]) peak += run.draws[slot].training;
  }
  return all.value > 0.0 ? peak / all : 0.0;
}

Result<double> NumberIn(const io::Json& json, const char* key) {
  const auto value = json.Get(key);
  if (!value) return Propagate(value);
  return (*value)->Number();
}

Result<CaseScore> ScoreOf(const io::Json& json) {
  CaseScore score;
  const auto policy = json.Get("policy");
  if (!policy) return Propagate(policy);
  const auto name = (*policy)->Text();
  if (!name) return Propagate(name);
  score.entry.policy = *name;
  const auto sight = json.Get("sight");
  if (!sight) return Propagate(sight);
  const auto kind = (*sight)->Text();
  if (!kind) return Propagate(kind);
  const auto known = std::ranges::find(kSightKinds, *kind);
  if (known == kSightKinds.end()) {
    return Fail(ErrorCode::kInvalidArgument, (*sight)->where(), Printable(*kind, 40) + " is no sight",
                "forecast, signals, perfect or disturbed");
  }
  score.entry.sight.kind = static_cast<Sight::Kind>(known - kSightKinds.begin());
  const std::array<std::pair<const char*, double*>, 2> own{
      {{"sight_error", &score.entry.sight.error}, {"peak_share", &score.peak_share}}};
  for (const auto& [key, value] : own) {
    const auto number = NumberIn(json, key);
    if (!number) return Propagate(number);
    *value = *number;
  }
  for (const auto& [key, member] : kNumbers) {
    const auto number = NumberIn(json, key);
    if (!number) return Propagate(number);
    score.figures.*member = *number;
  }
  for (const auto& [key, member] : kCounts) {
    const auto number = NumberIn(json, key);
    if (!number) return Propagate(number);
    score.figures.*member = static_cast<std::size_t>(*number);
  }
  const auto wake_ups = NumberIn(json, "wake_ups");
  const auto idle = NumberIn(json, "idle_node_hours");
  if (!wake_ups) return Propagate(wake_ups);
  if (!idle) return Propagate(idle);
  score.figures.wake_ups = static_cast<int>(*wake_ups);
  score.figures.idle_node_hours = *idle;
  if (json.Find("own_plan_kg") != nullptr) {
    const auto planned = NumberIn(json, "own_plan_kg");
    if (!planned) return Propagate(planned);
    score.own_plan_kg = *planned;
  }
  return score;
}

io::Json ToJson(const CaseScore& score) {
  io::Json json;
  json.Set("policy", score.entry.policy);
  json.Set("sight", std::string(kSightKinds[static_cast<std::size_t>(score.entry.sight.kind)]));
  json.Set("sight_error", score.entry.sight.error);
  for (const auto& [key, member] : kNumbers) json.Set(key, score.figures.*member);
  for (const auto& [key, member] : kCounts) json.Set(key, score.figures.*member);
  json.Set("wake_ups", score.figures.wake_ups);
  json.Set("idle_node_hours", score.figures.idle_node_hours);
  json.Set("peak_share", score.peak_share);
  if (score.own_plan_kg) json.Set("own_plan_kg", *score.own_plan_kg);
  return json;
}

}  // namespace

const CaseScore* CaseOutcome::Find(std::string_view policy, const Sight& sight) const {
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const CaseScore& score) {
    return score.entry.policy == policy && score.entry.sight == sight;
  });
  return found == scores.end() ? nullptr : &*found;
}

Result<CaseOutcome> RunCase(const Case& one, const StudyPlaces& world) {
  const auto setup = MakeSetup(one, world);
  if (!setup) return Propagate(setup);
  const std::vector<bool> is_peak = PeakSlots(setup->scenario);
  CaseOutcome outcome;
  outcome.scores.resize(one.entries.size());
  std::vector<sim::SimulatedRun> runs;
  std::vector<bool> done(one.entries.size(), false);
  for (std::size_t first = 0; first < one.entries.size(); ++first) {
    if (done[first]) continue;
    const Sight sight = one.entries[first].sight;
    auto foresight = ForesightOf(sight, *setup, one.recipe.seed);
    if (!foresight) return Propagate(foresight);
    sim::CompareOptions options;
    options.with_bound = false;
    std::vector<std::size_t> places;
    for (std::size_t i = first; i < one.entries.size(); ++i) {
      if (!(one.entries[i].sight == sight)) continue;
      options.policies.push_back(one.entries[i].policy);
      places.push_back(i);
      done[i] = true;
    }
    auto comparison = sim::Compare(setup->scenario, **foresight, options);
    if (!comparison) return Propagate(comparison);
    for (std::size_t i = 0; i < places.size(); ++i) {
      comparison->figures[i].wall_s = 0.0;
      outcome.scores[places[i]] = {
          one.entries[places[i]], comparison->figures[i], PeakShare(is_peak, comparison->runs[i]), {}};
      if (const auto& own = comparison->runs[i].own_plan) {
        outcome.scores[places[i]].own_plan_kg = InKilograms(own->carbon);
      }
      if (one.with_bound) runs.push_back(std::move(comparison->runs[i]));
    }
  }
  if (one.with_bound) outcome.bound = sim::LowestPossible(setup->scenario, runs);
  return outcome;
}

io::Json ToJson(const CaseOutcome& outcome) {
  io::Json json;
  io::Json::Array scores;
  for (const CaseScore& score : outcome.scores) scores.push_back(ToJson(score));
  json.Set("scores", std::move(scores));
  io::Json bound;
  bound.Set("carbon_kg", outcome.bound.carbon_kg);
  bound.Set("cost", outcome.bound.cost);
  if (outcome.bound.planned_carbon_kg) bound.Set("planned_carbon_kg", *outcome.bound.planned_carbon_kg);
  if (outcome.bound.planned_cost) bound.Set("planned_cost", *outcome.bound.planned_cost);
  json.Set("bound", std::move(bound));
  return json;
}

Result<CaseOutcome> OutcomeOf(const io::Json& json) {
  CaseOutcome outcome;
  const auto list = json.Get("scores");
  if (!list) return Propagate(list);
  const auto scores = (*list)->Elements();
  if (!scores) return Propagate(scores);
  for (const io::Json& one : **scores) {
    auto score = ScoreOf(one);
    if (!score) return Propagate(score);
    outcome.scores.push_back(*std::move(score));
  }
  const auto bound = json.Get("bound");
  if (!bound) return Propagate(bound);
  const auto carbon = NumberIn(**bound, "carbon_kg");
  const auto cost = NumberIn(**bound, "cost");
  if (!carbon) return Propagate(carbon);
  if (!cost) return Propagate(cost);
  outcome.bound.carbon_kg = *carbon;
  outcome.bound.cost = *cost;
  if ((*bound)->Find("planned_carbon_kg") != nullptr) {
    const auto planned = NumberIn(**bound, "planned_carbon_kg");
    if (!planned) return Propagate(planned);
    outcome.bound.planned_carbon_kg = *planned;
  }
  if ((*bound)->Find("planned_cost") != nullptr) {
    const auto planned = NumberIn(**bound, "planned_cost");
    if (!planned) return Propagate(planned);
    outcome.bound.planned_cost = *planned;
  }
  return outcome;
}

}  // namespace heliostat::experiments
