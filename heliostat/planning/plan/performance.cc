#include "heliostat/planning/plan/performance.h"

#include <algorithm>
#include <unordered_map>

#include "heliostat/base/core/check.h"
#include "heliostat/planning/plan/score.h"

namespace heliostat::plan {
namespace {

constexpr double kSecondsPerHour = 3600.0;

double GpuHours(double amount, double reference_per_s) {
  return reference_per_s > 0.0 ? amount / reference_per_s / kSecondsPerHour : 0.0;
}

double SamplesThatCount(const scenario::Job& job, const std::vector<ProgressSpan>& pieces) {
  double samples = 0.0;
  for (const ProgressSpan& piece : pieces) samples += piece.samples();
  return std::min(samples, job.samples);
}

// Many jobs share few models, so each model is looked up once.
struct TrainedModel {
  TrainingTable table;
  double reference_samples_per_s;
};
using TrainedModels = std::unordered_map<std::string, TrainedModel>;

const TrainedModel& Look(const scenario::Scenario& scenario, const std::string& model, TrainedModels& known) {
  auto found = known.find(model);
  if (found == known.end()) {
    found =
        known.emplace(model, TrainedModel{TrainingTable(scenario, model), scenario.ReferenceSamplesPerS(model)}).first;
  }
  return found->second;
}

}  // namespace

Interval HeadroomWindow(const scenario::Scenario& scenario, const scenario::Job& job) {
  return {job.submit, job.deadline.value_or(scenario.end())};
}

double LeftShareSeconds(const Interval& window, Instant begin, Seconds work) {
  const double length = Seconds(window.length()).count();
  if (length <= 0.0) return 0.0;
  // Seconds from the window's begin.
  const double from = Seconds(begin - window.begin).count();
  const double to = from + work.count();
  const double before = std::max(0.0, std::min(to, 0.0) - from);
  const double first = std::clamp(from, 0.0, length);
  const double last = std::clamp(to, 0.0, length);
  return before + (last - first) * (1.0 - (first + last) / (2.0 * length));
}

double JobHeadroom(const scenario::Job& job, const Interval& window, const std::vector<ProgressSpan>& pieces) {
  if (job.samples <= 0.0) return 0.0;
  double left = job.samples;
  double headroom = 0.0;
  for (const ProgressSpan& piece : pieces) {
    const double samples = std::min(left, piece.samples());
    if (samples <= 0.0) continue;
    left -= samples;
    headroom +=
        piece.samples_per_s * LeftShareSeconds(window, piece.span.begin, Seconds(samples / piece.samples_per_s));
  }
  return std::clamp(headroom / job.samples, 0.0, 1.0);
}

double JobHeadroom(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan) {
  const scenario::Job& who = scenario.jobs[job];
  return JobHeadroom(who, HeadroomWindow(scenario, who), PiecesOf(scenario, who, plan));
}

double LatencyHeadroom(const scenario::Service& service, Seconds latency) {
  return std::clamp(1.0 - latency / service.latency_slo, 0.0, 1.0);
}

double ServiceHeadroom(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan) {
  const scenario::Service& who = scenario.services[service];
  double requests = 0.0;
  double left = 0.0;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    requests += who.requests_per_s[slot];
    if (plan.slots[slot].replicas == 0) continue;
    left += who.requests_per_s[slot] * LatencyHeadroom(who, plan.slots[slot].latency);
  }
  return requests > 0.0 ? left / requests : 1.0;
}

double ServiceGpuHours(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan) {
  const scenario::Service& who = scenario.services[service];
  double requests = 0.0;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const ServiceSlot& how = plan.slots[slot];
    if (how.replicas == 0) continue;
    const auto& points = scenario.inference.Of(who.model, scenario.groups[how.group].gpu);
    Check(how.point < points.size(), "the operating point of the service does not exist");
    const double most = how.replicas * points[how.point].requests_per_s;
    requests += std::min(who.requests_per_s[slot], most) * Seconds(scenario.step).count();
  }
  return GpuHours(requests, scenario.ReferenceRequestsPerS(who.model));
}

double PerformanceOf(const scenario::Scenario& scenario, const Plan& plan) {
  const bool headroom = scenario.performance == scenario::Performance::kHeadroom;
  TrainedModels models;
  double sum = 0.0;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    if (plan.jobs[i].segments.empty()) continue;
    const scenario::Job& job = scenario.jobs[i];
    const TrainedModel& model = Look(scenario, job.model, models);
    const std::vector<ProgressSpan> pieces = PiecesOf(model.table, job, plan.jobs[i]);
    sum += headroom ? JobHeadroom(job, HeadroomWindow(scenario, job), pieces)
                    : GpuHours(SamplesThatCount(job, pieces), model.reference_samples_per_s);
  }
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    sum += headroom ? ServiceHeadroom(scenario, i, plan.services[i]) : ServiceGpuHours(scenario, i, plan.services[i]);
  }
  const std::size_t members = scenario.jobs.size() + scenario.services.size();
  return headroom && members > 0 ? sum / static_cast<double>(members) : sum;
}

}  // namespace heliostat::plan
