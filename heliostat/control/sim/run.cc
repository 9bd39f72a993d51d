#include "heliostat/control/sim/run.h"

#include <algorithm>

namespace heliostat::sim {
namespace {

// A percentile of 0.99 allows 1 % of the requests to be late.
bool KeepsPercentile(const scenario::Service& service, const ServiceRun& run) {
  constexpr double kRounding = 1e-9;
  return run.violated <= (1.0 - service.percentile + kRounding) * run.requests;
}

}  // namespace

Figures FiguresOf(const scenario::Scenario& scenario, const SimulatedRun& run) {
  Figures figures;
  figures.carbon_kg = InKilograms(run.total.carbon);
  figures.cost = run.total.cost;
  figures.energy_kwh = InKilowattHours(run.total.facility);
  figures.grid_kwh = InKilowattHours(run.total.grid);
  figures.renewable_used_kwh = InKilowattHours(run.total.renewable_used);
  figures.performance = run.performance;
  figures.ppc = figures.carbon_kg > 0.0 ? run.performance / figures.carbon_kg : 0.0;
  figures.jobs_total = run.jobs.size();
  std::vector<double> completion;
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const scenario::Job& job = scenario.jobs[j];
    const auto& finish = run.jobs[j].finish;
    if (finish) completion.push_back(Seconds(*finish - job.submit).count());
    // A job with a deadline after the horizon has not missed it yet.
    const bool due = job.deadline && *job.deadline <= scenario.end();
    if (job.deadline && (finish ? *finish > *job.deadline : due)) ++figures.deadline_misses;
    if (!finish || (job.deadline && *finish > *job.deadline)) ++figures.jobs_late_or_undone;
  }
  figures.jobs_completed = completion.size();
  if (!completion.empty()) {
    for (const double seconds : completion) figures.mean_completion_s += seconds;
    figures.mean_completion_s /= static_cast<double>(completion.size());
    const auto rank = static_cast<std::ptrdiff_t>((completion.size() * 95 + 99) / 100 - 1);
    std::nth_element(completion.begin(), completion.begin() + rank, completion.end());
    figures.p95_completion_s = completion[static_cast<std::size_t>(rank)];
  }
  double violated = 0.0;
  for (std::size_t i = 0; i < run.services.size(); ++i) {
    figures.requests_total += run.services[i].requests;
    violated += run.services[i].violated;
    if (!KeepsPercentile(scenario.services[i], run.services[i])) ++figures.services_broken;
  }
  if (figures.requests_total > 0.0) figures.slo_violation_fraction = violated / figures.requests_total;
  figures.wake_ups = run.wake_ups;
  figures.idle_node_hours = run.idle_node_hours;
  figures.wall_s = run.wall_s;
  return figures;
}

}  // namespace heliostat::sim
