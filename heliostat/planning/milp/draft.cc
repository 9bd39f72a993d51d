#include "heliostat/planning/milp/draft.h"

#include <algorithm>

namespace heliostat::milp {
namespace {

constexpr double kHour = 3600.0;
// Smaller values are rounding errors of the solver.
constexpr Seconds kTooShort{0.5};

double At(const std::vector<double>& values, int column) { return values[static_cast<std::size_t>(column)]; }

const GroupColumns* ChosenGroup(const JobColumns& columns, const std::vector<double>& values) {
  const GroupColumns* best = nullptr;
  for (const GroupColumns& where : columns.groups) {
    if (best == nullptr || At(values, where.chosen) > At(values, best->chosen)) best = &where;
  }
  return best != nullptr && (columns.required || At(values, best->chosen) > 0.5) ? best : nullptr;
}

Portion PortionOf(const SlotColumns& when, const WorkerColumns& how, const std::vector<scenario::TrainingPoint>& points,
                  const std::vector<double>& values) {
  Portion portion;
  portion.slot = when.slot;
  portion.available = when.available;
  portion.workers = how.workers;
  for (const PointColumn& column : how.lost) portion.lost += Seconds(At(values, column.column) * kHour);
  for (const PointColumn& column : how.useful) {
    const Seconds length(At(values, column.column) * kHour);
    if (length > Seconds(1e-3)) portion.useful.push_back({column.point, length});
  }
  std::stable_sort(portion.useful.begin(), portion.useful.end(), [&](const auto& a, const auto& b) {
    return points[a.point].samples_per_s > points[b.point].samples_per_s;
  });
  return portion;
}

// Within a slot, portions that continue from the slot before come first, and those that continue after it last.
void Order(std::vector<Portion>& slot, const std::vector<Portion>& before, const std::vector<Portion>& after) {
  const auto has = [](const std::vector<Portion>& portions, int workers) {
    return std::any_of(portions.begin(), portions.end(), [&](const Portion& p) { return p.workers == workers; });
  };
  const auto rank = [&](const Portion& p) {
    return (has(before, p.workers) ? -1 : 0) + (has(after, p.workers) ? 1 : 0);
  };
  std::stable_sort(slot.begin(), slot.end(), [&](const Portion& a, const Portion& b) { return rank(a) < rank(b); });
}

}  // namespace

Seconds Portion::length() const {
  Seconds sum = lost;
  for (const Part& part : useful) sum += part.length;
  return sum;
}

std::optional<JobDraft> DraftOf(const plan::Problem& problem, const Programme& programme,
                                const std::vector<double>& values, std::size_t job) {
  const JobColumns& columns = programme.jobs[job];
  const GroupColumns* where = ChosenGroup(columns, values);
  if (where == nullptr) return std::nullopt;
  const scenario::Job& who = problem.scenario.jobs[job];
  const auto& points = problem.scenario.training.Of(who.model, problem.scenario.groups[where->group].gpu);
  std::vector<std::vector<Portion>> slots;
  for (const SlotColumns& when : where->slots) {
    slots.emplace_back();
    for (const WorkerColumns& how : when.workers) {
      Portion portion = PortionOf(when, how, points, values);
      portion.lowest = (how.lost.empty() ? how.useful : how.lost).front().point;
      if (portion.length() >= kTooShort) slots.back().push_back(std::move(portion));
    }
  }
  JobDraft draft;
  draft.group = where->group;
  double share = 0.0;
  for (const Term& term : columns.done) share += term.factor * At(values, term.column);
  draft.samples = columns.required ? who.samples : std::min(1.0, share) * who.samples;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Order(slots[i], i > 0 ? slots[i - 1] : std::vector<Portion>{},
          i + 1 < slots.size() ? slots[i + 1] : std::vector<Portion>{});
    for (const Portion& portion : slots[i]) draft.portions.push_back(portion);
  }
  if (draft.portions.empty() && !columns.required) return std::nullopt;
  return draft;
}

}  // namespace heliostat::milp
