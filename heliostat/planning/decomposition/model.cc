#include "heliostat/planning/decomposition/model.h"

#include <algorithm>
#include <map>

#include "heliostat/model/scenario/energy.h"

namespace heliostat::decomposition {
namespace {

using scenario::Scenario;

constexpr double kShareOfCap = 0.95;  // see Model::cap_share
// Slightly above the most energy possible, so that rounding does not make it a limit.
constexpr double kAboveMost = 1.01;

GroupModel ModelOf(const scenario::Group& group, int up, double step_s, double kwh_per_joule) {
  const double gpus = group.gpus_per_node;
  const double on_watts = group.node_base.value - group.node_sleep.value + gpus * group.gpu_idle.value;
  const double wake_joules =
      group.wake_energy.value + group.node_base.value * static_cast<double>(group.wake_time.count());
  return {group.nodes,
          up,
          group.gpus_per_node,
          on_watts * step_s * kwh_per_joule,
          group.node_sleep.value * step_s * kwh_per_joule,
          wake_joules * kwh_per_joule,
          group.gpu_idle.value};
}

std::vector<WorkerLevel> LevelsOf(const Scenario& scenario, const scenario::Job& job, std::size_t group,
                                  bool mixtures) {
  const auto& points = scenario.training.Of(job.model, scenario.groups[group].gpu);
  std::map<int, std::vector<Vertex>> by_workers;
  for (const std::size_t i : scenario.PointsFor(job, group)) {
    by_workers[points[i].workers].push_back({points[i].samples_per_s, points[i].power.value, i});
  }
  std::vector<WorkerLevel> levels;
  levels.reserve(by_workers.size());
  for (auto& entry : by_workers) levels.push_back({entry.first, Worthwhile(std::move(entry.second), mixtures)});
  return levels;
}

// Sets with which level the job goes on, if it runs.
void SetRun(const Scenario& scenario, const scenario::Job& job, JobModel& model) {
  if (!job.begun || model.choices.empty() || job.submit < scenario.start) return;
  const auto& levels = model.choices.front().levels;
  const auto level = std::ranges::find(levels, job.begun->workers, &WorkerLevel::workers);
  if (level == levels.end()) return;
  model.runs = true;
  model.run_level = static_cast<std::size_t>(level - levels.begin());
  model.resume_left_s = static_cast<double>(job.begun->resume_left.count());
}

void SetWorth(const Scenario& scenario, const scenario::Job& job, JobModel& model) {
  if (scenario.performance == scenario::Performance::kThroughput) {
    model.worth = 1.0 / (scenario.ReferenceSamplesPerS(job.model) * 3600.0);
    return;
  }
  const Instant end = job.deadline ? *job.deadline : scenario.end();
  const auto window_s = static_cast<double>((end - job.submit).count());
  const auto members = static_cast<double>(scenario.jobs.size() + scenario.services.size());
  const double per_sample = 1.0 / (job.samples * members);
  model.worth_lost_per_s = per_sample / window_s;
  model.worth = model.worth_lost_per_s * static_cast<double>((end - scenario.start).count());
}

JobModel ModelOf(const Scenario& scenario, const plan::Limits& limits, const scenario::Job& job, bool mixtures) {
  JobModel model;
  const Interval window = scenario.WindowOf(job);
  const auto step = scenario.step.count();
  if (!window.empty()) {
    const auto begin = (window.begin - scenario.start).count();
    const auto end = (window.end - scenario.start).count();
    model.first_slot = static_cast<std::size_t>(begin / step);
    model.slot_count = static_cast<std::size_t>((end + step - 1) / step) - model.first_slot;
    model.first_begin = static_cast<int>(begin % step);
    model.last_end = static_cast<int>((end - 1) % step + 1);
  }
  model.samples = job.samples;
  model.resume_s = static_cast<double>(job.resume.count());
  model.required = job.deadline.has_value() || limits.finish_best_effort;
  model.preemptible = job.preemptible;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    auto levels = LevelsOf(scenario, job, g, mixtures);
    if (!levels.empty()) model.choices.push_back({g, std::move(levels)});
  }
  SetRun(scenario, job, model);
  SetWorth(scenario, job, model);
  return model;
}

double WakeKwh(const Model& model) {
  double kwh = 0.0;
  for (const GroupModel& group : model.groups) kwh += group.wake_kwh * group.nodes;
  return kwh;
}

}  // namespace

std::vector<Vertex> Worthwhile(std::vector<Vertex> points, bool mixtures) {
  std::ranges::sort(points, [](const Vertex& a, const Vertex& b) {
    return a.samples_per_s != b.samples_per_s ? a.samples_per_s < b.samples_per_s : a.watts < b.watts;
  });
  const auto above = [](const Vertex& a, const Vertex& b, const Vertex& c) {
    return (b.watts - a.watts) * (c.samples_per_s - a.samples_per_s) >=
           (c.watts - a.watts) * (b.samples_per_s - a.samples_per_s);
  };
  std::vector<Vertex> hull;
  for (const Vertex& next : points) {
    if (!hull.empty() && hull.back().samples_per_s == next.samples_per_s) continue;
    while (!hull.empty() && hull.back().watts >= next.watts) hull.pop_back();
    while (mixtures && hull.size() >= 2 && above(hull[hull.size() - 2], hull.back(), next)) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

void SetWeights(const plan::Problem& problem, const plan::Weights& weights, Model& model) {
  const Scenario& scenario = problem.scenario;
  const auto step_s = static_cast<double>(scenario.step.count());
  const double most_kwh =
      kAboveMost * (scenario::MostPower(scenario).value * step_s * model.kwh_per_joule + WakeKwh(model));
  model.performance_weight = weights.performance;
  model.tariffs.resize(model.slots);
  for (std::size_t t = 0; t < model.slots; ++t) {
    const double renewable_kg = InGramsPerKwh(scenario.renewable_carbon) / 1000.0;
    const double grid_kg = InGramsPerKwh(scenario.carbon[t]) / 1000.0;
    const double price = scenario.price_per_kwh.empty() ? 0.0 : scenario.price_per_kwh[t];
    SlotTariff& tariff = model.tariffs[t];
    tariff.cheap = weights.carbon_kg * renewable_kg + weights.energy_kwh;
    tariff.dear = weights.carbon_kg * (grid_kg - renewable_kg) + weights.cost * price;
    tariff.free_kwh = scenario.renewable[t].value * step_s / kJoulesPerKwh;
    tariff.cap_kwh = most_kwh;
    if (problem.limits.facility_cap) {
      tariff.cap_kwh = std::min(most_kwh, problem.limits.facility_cap->value * step_s / kJoulesPerKwh);
    }
  }
}

Model MakeModel(const plan::Problem& problem) {
  const Scenario& scenario = problem.scenario;
  Model model;
  model.slots = scenario.slots;
  model.step_s = static_cast<int>(scenario.step.count());
  model.kwh_per_joule = scenario.pue / kJoulesPerKwh;
  model.right_sizing = problem.limits.right_sizing;
  model.capped = problem.limits.facility_cap.has_value();
  model.cap_share = model.capped ? kShareOfCap : 1.0;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    model.groups.push_back(ModelOf(scenario.groups[g], scenario.UpBefore(g), model.step_s, model.kwh_per_joule));
  }
  const bool mixtures = std::ranges::all_of(scenario.price_per_kwh, [](double price) { return price >= 0.0; });
  for (const auto& job : scenario.jobs) model.jobs.push_back(ModelOf(scenario, problem.limits, job, mixtures));
  const bool headroom = scenario.performance == scenario::Performance::kHeadroom;
  const auto members = static_cast<double>(scenario.jobs.size() + scenario.services.size());
  for (const auto& service : scenario.services) {
    model.latency_slo_s.push_back(service.latency_slo.count());
    auto& options = model.services.emplace_back();
    auto& worth = model.service_worth.emplace_back();
    double requests = 0.0;
    for (const double rate : service.requests_per_s) requests += rate;
    for (std::size_t t = 0; t < scenario.slots; ++t) {
      options.push_back(serving::OptionsFor(scenario, service, t, headroom));
      worth.push_back(headroom && requests > 0.0 ? service.requests_per_s[t] / requests / members : 0.0);
    }
    if (headroom) {
      model.certain_worth += requests > 0.0 ? 0.0 : 1.0 / members;
    } else {
      model.certain_worth += requests * model.step_s / (scenario.ReferenceRequestsPerS(service.model) * 3600.0);
    }
  }
  SetWeights(problem, problem.weights, model);
  return model;
}

}  // namespace heliostat::decomposition
