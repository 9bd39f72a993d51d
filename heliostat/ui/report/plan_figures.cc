#include "heliostat/ui/report/plan_figures.h"

#include <algorithm>

#include "heliostat/planning/plan/progress.h"

namespace heliostat::report {
namespace {

constexpr double kWattsPerKilowatt = 1e3;

// Adds the energy of a run to the slots that it overlaps, as mean facility power.
void AddRun(const scenario::Scenario& scenario, const Interval& run, Watts power, std::vector<double>& kw) {
  const Interval inside = run.Intersect(scenario.horizon());
  for (Instant t = inside.begin; t < inside.end;) {
    const auto slot = static_cast<std::size_t>((t - scenario.start) / scenario.step);
    const Instant until = std::min(inside.end, scenario.SlotSpan(slot).end);
    const double share = heliostat::Seconds(until - t) / heliostat::Seconds(scenario.step);
    kw[slot] += scenario.pue * power.value * share / kWattsPerKilowatt;
    t = until;
  }
}

PlanFigures::Job JobFigures(const scenario::Scenario& scenario, const scenario::Job& job, const plan::JobPlan& plan,
                            std::vector<double>& training_kw) {
  const plan::TrainingTable table(scenario, job.model);
  PlanFigures::Job figures;
  const plan::Segment* former = nullptr;
  for (const plan::Segment& segment : plan.segments) {
    const scenario::TrainingPoint& point = table.At(segment);
    AddRun(scenario, segment.span, point.power, training_kw);
    figures.energy += point.power * Seconds(segment.span.length());
    figures.most_workers = std::max(figures.most_workers, point.workers);
    const bool goes_on = former != nullptr && former->span.end == segment.span.begin &&
                         former->group == segment.group && table.At(*former).workers == point.workers;
    figures.starts += goes_on ? 0 : 1;
    former = &segment;
  }
  const std::vector<plan::ProgressSpan> pieces = PiecesOf(table, job, plan);
  double samples = 0.0;
  for (const plan::ProgressSpan& piece : pieces) samples += piece.samples();
  figures.done_share = job.samples > 0.0 ? std::min(1.0, samples / job.samples) : 1.0;
  if (!plan.segments.empty()) figures.begin = plan.segments.front().span.begin;
  figures.finish = FinishOf(job, pieces);
  if (figures.finish && job.deadline) figures.spare = *job.deadline - *figures.finish;
  return figures;
}

PlanFigures::Service ServiceFigures(const scenario::Scenario& scenario, const scenario::Service& service,
                                    const plan::ServicePlan& plan, std::vector<double>& serving_kw) {
  PlanFigures::Service figures;
  double busy = 0.0;
  double replicas = 0.0;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const plan::ServiceSlot& how = plan.slots[slot];
    if (how.replicas == 0) continue;
    const scenario::Group& group = scenario.groups[how.group];
    const auto& point = scenario.inference.Of(service.model, group.gpu).at(how.point);
    const Watts power = account::ServingPower(group.gpu_idle, point.power, how.utilisation) * how.replicas;
    AddRun(scenario, scenario.SlotSpan(slot), power, serving_kw);
    figures.energy += power * Seconds(scenario.step);
    figures.most_replicas = std::max(figures.most_replicas, how.replicas);
    replicas += how.replicas;
    busy += how.replicas * how.utilisation;
    if (how.latency > figures.worst_latency) {
      figures.worst_latency = how.latency;
      figures.worst_at = scenario.SlotSpan(slot).begin;
    }
  }
  figures.mean_replicas = scenario.slots > 0 ? replicas / static_cast<double>(scenario.slots) : 0.0;
  figures.mean_utilisation = replicas > 0.0 ? busy / replicas : 0.0;
  return figures;
}

PlanFigures::Group GroupFigures(const std::vector<int>& on) {
  PlanFigures::Group figures;
  double sum = 0.0;
  for (std::size_t slot = 0; slot < on.size(); ++slot) {
    sum += on[slot];
    figures.most_on = std::max(figures.most_on, on[slot]);
    // Every node is on at the start, so the first slot wakes none.
    if (slot > 0) figures.wake_ups += std::max(0, on[slot] - on[slot - 1]);
  }
  figures.mean_on = on.empty() ? 0.0 : sum / static_cast<double>(on.size());
  return figures;
}

}  // namespace

PlanFigures FiguresOf(const scenario::Scenario& scenario, const plan::Plan& plan, const plan::Score& score) {
  PlanFigures figures;
  figures.training_kw.assign(scenario.slots, 0.0);
  figures.serving_kw.assign(scenario.slots, 0.0);
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    figures.jobs.push_back(JobFigures(scenario, scenario.jobs[i], plan.jobs[i], figures.training_kw));
  }
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    figures.services.push_back(ServiceFigures(scenario, scenario.services[i], plan.services[i], figures.serving_kw));
  }
  for (const std::vector<int>& on : plan.nodes_on) figures.groups.push_back(GroupFigures(on));
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    figures.facility_kw.push_back(InKilowatts(score.slots[slot].facility / Seconds(scenario.step)));
    // Rounding may leave a small negative value.
    figures.standing_kw.push_back(
        std::max(0.0, figures.facility_kw[slot] - figures.training_kw[slot] - figures.serving_kw[slot]));
    figures.renewable_kw.push_back(InKilowatts(scenario.renewable[slot]));
    figures.renewable_kwh += InKilowattHours(scenario.renewable[slot] * Seconds(scenario.step));
  }
  return figures;
}

}  // namespace heliostat::report
