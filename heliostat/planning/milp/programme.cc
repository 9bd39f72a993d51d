#include "heliostat/planning/milp/programme.h"

#include <algorithm>
#include <map>

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/planning/milp/points.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::milp {
namespace {

constexpr double kGramsPerKg = 1e3;

// By workers: the slots in which the job makes progress.
std::map<std::pair<std::size_t, int>, bool> ProgressOf(const scenario::Scenario& scenario, std::size_t job,
                                                       const plan::JobPlan& plan) {
  std::map<std::pair<std::size_t, int>, bool> progress;
  plan::ResumeDebt debt(scenario.jobs[job]);
  const plan::TrainingTable table(scenario, scenario.jobs[job].model);
  for (const plan::Segment& segment : plan.segments) {
    const int workers = table.At(segment).workers;
    Instant t = segment.span.begin + debt.Pay(segment, workers);
    while (t < segment.span.end) {
      const auto slot = static_cast<std::size_t>((t - scenario.start) / scenario.step);
      progress[{slot, workers}] = true;
      t = scenario.SlotSpan(slot).end;
    }
  }
  return progress;
}

void AddJobStart(const plan::Problem& problem, std::size_t job, const JobColumns& columns, const plan::JobPlan& plan,
                 std::vector<std::pair<int, double>>& start) {
  const auto progress = ProgressOf(problem.scenario, job, plan);
  for (const GroupColumns& where : columns.groups) {
    const bool here = !plan.segments.empty() && plan.segments.front().group == where.group;
    start.emplace_back(where.chosen, here ? 1.0 : 0.0);
    for (const SlotColumns& when : where.slots) {
      for (const WorkerColumns& how : when.workers) {
        if (how.used < 0) continue;
        start.emplace_back(how.used, here && progress.count({when.slot, how.workers}) > 0 ? 1.0 : 0.0);
      }
    }
  }
}

// The option that corresponds to the plan: the same group, no more replicas, the least power.
std::size_t OptionLike(const std::vector<serving::ServingOption>& options, const plan::ServiceSlot& slot) {
  std::size_t best = options.size();
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].group != slot.group || options[i].replicas > slot.replicas) continue;
    if (options[i].replicas == slot.replicas && options[i].point == slot.point) return i;
    if (best == options.size() || options[i].power < options[best].power) best = i;
  }
  return best;
}

struct SlotWorth {
  double grid;  // objective units per kWh
  double own;
};

SlotWorth WorthOf(const plan::Problem& problem, std::size_t slot) {
  const scenario::Scenario& scenario = problem.scenario;
  const plan::Weights& weights = problem.weights;
  const double price = scenario.price_per_kwh.empty() ? 0.0 : scenario.price_per_kwh[slot];
  return {weights.energy_kwh + weights.carbon_kg * InGramsPerKwh(scenario.carbon[slot]) / kGramsPerKg +
              weights.cost * price,
          weights.energy_kwh + weights.carbon_kg * InGramsPerKwh(scenario.renewable_carbon) / kGramsPerKg};
}

}  // namespace

bool IsRequired(const plan::Problem& problem, const scenario::Job& job) {
  return job.deadline.has_value() || problem.limits.finish_best_effort;
}

bool CountsUse(const scenario::Job& job, int workers, const scenario::Group& group) {
  return job.resume > Duration{} || !job.preemptible || workers > group.gpus_per_node;
}

bool EnergyMayPay(const plan::Problem& problem, std::size_t slot) {
  const SlotWorth worth = WorthOf(problem, slot);
  const CarbonIntensity least = std::min(problem.scenario.carbon[slot], problem.scenario.renewable_carbon);
  return std::min(worth.grid, worth.own) < 0.0 || (problem.limits.carbon_budget_kg && least < CarbonIntensity{});
}

bool NeedsOnGrid(const plan::Problem& problem, std::size_t slot) {
  const SlotWorth worth = WorthOf(problem, slot);
  return worth.grid < worth.own ||
         (problem.limits.carbon_budget_kg && problem.scenario.carbon[slot] < problem.scenario.renewable_carbon);
}

double MarginalWorth(const plan::Problem& problem, std::size_t slot, bool on_grid) {
  const SlotWorth worth = WorthOf(problem, slot);
  return on_grid ? worth.grid : worth.own;
}

std::pair<std::size_t, std::size_t> SlotsOf(const scenario::Scenario& scenario, const scenario::Job& job) {
  const Interval window = scenario.WindowOf(job).Intersect(scenario.horizon());
  if (window.empty()) return {0, 0};
  const auto first = static_cast<std::size_t>((window.begin - scenario.start) / scenario.step);
  const auto last = static_cast<std::size_t>((window.end - scenario.start - Duration{1}) / scenario.step) + 1;
  return {first, last};
}

std::vector<std::pair<int, double>> WholePart(const plan::Problem& problem, const Programme& programme,
                                              const plan::Plan& plan) {
  std::vector<std::pair<int, double>> start;
  for (std::size_t job = 0; job < programme.jobs.size(); ++job) {
    AddJobStart(problem, job, programme.jobs[job], plan.jobs[job], start);
  }
  for (std::size_t service = 0; service < programme.services.size(); ++service) {
    const ServiceColumns& columns = programme.services[service];
    for (std::size_t slot = 0; slot < columns.options.size(); ++slot) {
      const std::size_t option = OptionLike(columns.options[slot], plan.services[service].slots[slot]);
      if (option == columns.options[slot].size()) return {};
      for (std::size_t i = 0; i < columns.columns[slot].size(); ++i) {
        start.emplace_back(columns.columns[slot][i], i == option ? 1.0 : 0.0);
      }
    }
  }
  const plan::Score score = plan::ScoreOf(problem.scenario, plan);
  for (std::size_t slot = 0; slot < programme.slots.size(); ++slot) {
    for (std::size_t group = 0; group < programme.nodes.size(); ++group) {
      start.emplace_back(programme.nodes[group][slot], plan.nodes_on[group][slot]);
    }
    const int on_grid = programme.slots[slot].on_grid;
    if (on_grid >= 0) start.emplace_back(on_grid, score.slots[slot].grid > Joules{} ? 1.0 : 0.0);
  }
  return start;
}

}  // namespace heliostat::milp
