#include "heliostat/planning/decomposition/solve.h"

#include <algorithm>
#include <cmath>

#include "heliostat/planning/decomposition/search.h"
#include "heliostat/planning/decomposition/to_plan.h"
#include "heliostat/planning/decomposition/workers.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::decomposition {

SearchMemory::SearchMemory() = default;
SearchMemory::~SearchMemory() = default;
SearchMemory::SearchMemory(const SearchMemory&) = default;
SearchMemory& SearchMemory::operator=(const SearchMemory&) = default;
SearchMemory::SearchMemory(SearchMemory&&) noexcept = default;
SearchMemory& SearchMemory::operator=(SearchMemory&&) noexcept = default;

namespace {

plan::Planned Placed(const plan::Problem& problem, const DraftPlan& draft) {
  plan::Plan plan = ToPlan(problem.scenario, draft);
  plan::Score score = plan::ScoreOf(problem.scenario, plan);
  return {std::move(plan), std::move(score)};
}

// All plans of the search after the placement, the best first.
std::vector<plan::Planned> AllPlaced(const plan::Problem& problem, const Model& model, unsigned threads,
                                     const Search& search) {
  std::vector<plan::Planned> all(1 + search.others().size());
  VisitInThreads(all.size(), 1, ThreadsFor(threads), [&](unsigned /*worker*/, std::size_t i) {
    if (i == 0) {
      all[i] = Placed(problem, search.draft());
      return;
    }
    DraftPlan other(model);
    other.SetContent(search.others()[i - 1]);
    all[i] = Placed(problem, other);
  });
  std::ranges::stable_sort(all, {},
                           [&](const plan::Planned& planned) { return plan::ValueOf(problem.weights, planned.score); });
  return all;
}

// Improves the plan round by round, until rounds or time are over, or until kMostIdle rounds in a row gain too little.
// A draft counts as better only after the placement.
void Improve(const plan::Problem& problem, const plan::Effort& effort, const plan::Limits& kept, Search& search,
             plan::Planned& best) {
  constexpr int kMostIdle = 25;
  constexpr double kLeastGain = 2e-4;  // as a share
  double least = plan::ValueOf(problem.weights, best.score);
  double before = least;
  for (int idle = 0; idle < kMostIdle && plan::GapOf(least, search.bound()) > effort.gap; ++idle) {
    if (!search.ImproveFurther(*effort.improving)) return;
    plan::Planned next = Placed(problem, search.draft());
    const double value = plan::ValueOf(problem.weights, next.score);
    if (value >= least || !plan::Violations(problem.scenario, kept, next.plan).empty()) continue;
    best = std::move(next);
    least = value;
    if (effort.on_better) effort.on_better(least, search.bound());
    if (before - least < kLeastGain * std::abs(before)) continue;
    before = least;
    idle = -1;
  }
}

}  // namespace

plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, SearchMemory* memory) {
  plan::Outcome outcome;
  const Model model = MakeModel(problem);
  Search search(problem, model, effort, memory != nullptr ? memory->content.get() : nullptr);
  search.FindPrices();
  outcome.bound = search.bound();
  if (search.infeasible() || !search.FindPlan()) {
    outcome.status = search.infeasible() ? plan::Termination::kInfeasible : plan::Termination::kNoPlan;
    outcome.reason = search.why();
    outcome.unplaced = search.unplaced();
    return outcome;
  }
  outcome.bound = search.bound();
  plan::Limits kept = problem.limits;  // the caller ensures budget and floor
  kept.carbon_budget_kg.reset();
  kept.performance_floor.reset();
  for (plan::Planned& planned : AllPlaced(problem, model, effort.threads, search)) {
    if (const auto broken = plan::Violations(problem.scenario, kept, planned.plan); !broken.empty()) {
      outcome.reason = broken.front();
      continue;
    }
    if (effort.improving != nullptr) Improve(problem, effort, kept, search, planned);
    if (memory != nullptr) memory->content = std::make_shared<SearchMemory::Content>(search.Remember(planned.plan));
    const double value = plan::ValueOf(problem.weights, planned.score);
    return plan::OutcomeWith(std::move(planned), value, search.bound(), effort.gap);
  }
  return outcome;
}

}  // namespace heliostat::decomposition
