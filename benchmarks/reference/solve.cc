#include "benchmarks/reference/solve.h"

#include "benchmarks/reference/search.h"
#include "benchmarks/reference/to_plan.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::reference {

SearchMemory::SearchMemory() = default;
SearchMemory::~SearchMemory() = default;
SearchMemory::SearchMemory(const SearchMemory&) = default;
SearchMemory& SearchMemory::operator=(const SearchMemory&) = default;
SearchMemory::SearchMemory(SearchMemory&&) noexcept = default;
SearchMemory& SearchMemory::operator=(SearchMemory&&) noexcept = default;

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
  plan::Plan plan = ToPlan(problem.scenario, search.draft());
  plan::Limits kept = problem.limits;  // the caller ensures budget and floor
  kept.carbon_budget_kg.reset();
  kept.performance_floor.reset();
  if (const auto broken = plan::Violations(problem.scenario, kept, plan); !broken.empty()) {
    outcome.reason = broken.front();
    return outcome;
  }
  if (memory != nullptr) memory->content = std::make_shared<SearchMemory::Content>(search.Remember(plan));
  plan::Score score = plan::ScoreOf(problem.scenario, plan);
  const double value = plan::ValueOf(problem.weights, score);
  return plan::OutcomeWith({std::move(plan), std::move(score)}, value, search.bound(), effort.gap);
}

}  // namespace heliostat::reference
