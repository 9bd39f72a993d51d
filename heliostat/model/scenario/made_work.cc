#include "heliostat/model/scenario/made_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "heliostat/base/core/check.h"
#include "heliostat/model/scenario/made_hardware.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

// Hours of a job with one worker at the energy-optimal point, before all are scaled to the load.
constexpr double kMedianHours = 3.0;
constexpr double kHoursSpread = 1.0;  // standard deviation of the logarithm
constexpr double kShortestHours = 0.2;
constexpr double kLongestHours = 40.0;
constexpr double kLeastSlack = 1.2;  // at one worker
// Workers are added until the window is this much longer than the job, because other jobs need GPUs as well.
constexpr double kRoom = 1.6;
// A window longer than the horizon is drawn between these shares of it.
constexpr double kShortestLongWindow = 0.6;
constexpr double kLongestWindow = 0.95;
constexpr std::array kMaxWorkers{1, 2, 4, 8};
constexpr std::array kResumeSeconds{0, 30, 60, 90, 120};
// GPUs that all services keep busy on average, as a share of the cluster.
constexpr double kServingShare = 0.03;
constexpr double kLeastBusyGpus = 0.25;

// How fast a model trains in this scenario.
struct Pace {
  double thrifty = 0.0;              // samples/s of one worker at the least energy per sample
  std::map<int, double> by_workers;  // best samples/s in any group
};

Pace PaceOf(const Scenario& scenario, const std::string& model) {
  Pace pace;
  double least_joules = 0.0;
  for (const Group& group : scenario.groups) {
    for (const TrainingPoint& point : scenario.training.Of(model, group.gpu)) {
      double& best = pace.by_workers[point.workers];
      best = std::max(best, point.samples_per_s);
      const double joules = point.power.value / point.samples_per_s;
      if (point.workers != 1 || (pace.thrifty > 0.0 && joules >= least_joules)) continue;
      least_joules = joules;
      pace.thrifty = point.samples_per_s;
    }
  }
  return pace;
}

// A job whose length is in hours of one worker at the energy-optimal point.
struct Draft {
  Job job;
  const Pace* pace = nullptr;
  double hours = 0.0;
  double longest_hours = 0.0;  // the most that all its workers can do in a short window
  double slack = 1.0;
  double window_share = 1.0;  // of the horizon, for jobs whose slack would exceed it
  double place = 0.0;         // of the window among all possible places, 0 to 1

  // The least hours with that many workers.
  double ShortestHours(int workers) const { return hours * pace->thrifty / pace->by_workers.at(workers); }
};

int LargestCount(const Pace& pace) {
  int most = 1;
  for (const auto& [workers, speed] : pace.by_workers) {
    if (workers <= kMaxWorkers.back()) most = std::max(most, workers);
  }
  return most;
}

Draft DrawJob(const Shape& shape, std::size_t index, double horizon_hours, const std::vector<std::string>& models,
              const std::map<std::string, Pace>& paces, RandomStream random) {
  Draft draft;
  draft.job.id = fmt::format("j{:05}", index);
  draft.job.model = models[random.Below(models.size())];
  draft.pace = &paces.at(draft.job.model);
  draft.job.max_workers = std::min(kMaxWorkers[random.Below(kMaxWorkers.size())], LargestCount(*draft.pace));
  draft.job.preemptible = !random.Chance(shape.in_one_piece);
  draft.job.resume = Duration{kResumeSeconds[random.Below(kResumeSeconds.size())]};
  draft.hours = std::clamp(kMedianHours * std::exp(random.Normal(0.0, kHoursSpread)), kShortestHours, kLongestHours);
  draft.slack = kLeastSlack + random.Exponential(std::max(shape.slack - kLeastSlack, 0.0));
  draft.window_share = random.Uniform(kShortestLongWindow, kLongestWindow);
  draft.place = random.Uniform();
  const bool is_best_effort = random.Chance(shape.best_effort);
  if (!is_best_effort) draft.job.deadline = Instant{};  // marks that it has one; the time is set once lengths are known
  const double speedup = draft.pace->by_workers.at(LargestCount(*draft.pace)) / draft.pace->thrifty;
  draft.longest_hours = kShortestLongWindow * horizon_hours * speedup / kRoom;
  return draft;
}

// Stretches all lengths by one factor until they add up to `gpu_hours`, or until none can grow.
void ScaleTo(double gpu_hours, std::vector<Draft>& drafts) {
  const auto total = [&](double factor) {
    double sum = 0.0;
    for (const Draft& draft : drafts) sum += std::min(draft.hours * factor, draft.longest_hours);
    return sum;
  };
  double low = 0.0;
  double high = 1.0;
  while (total(high) < gpu_hours && high < 1e9) high *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2.0;
    (total(middle) < gpu_hours ? low : high) = middle;
  }
  for (Draft& draft : drafts) draft.hours = std::min(draft.hours * high, draft.longest_hours);
}

// The smallest number of workers, at least the one drawn, that leaves slack in the window.
int WorkersFor(const Draft& draft, double window_hours) {
  for (const auto& [workers, speed] : draft.pace->by_workers) {
    if (workers < draft.job.max_workers || workers > LargestCount(*draft.pace)) continue;
    if (draft.ShortestHours(workers) * kRoom <= window_hours) return workers;
  }
  return LargestCount(*draft.pace);
}

Duration WholeMinutes(double hours) { return std::chrono::minutes{static_cast<std::int64_t>(hours * 60.0)}; }

Job Settle(const Scenario& scenario, const Draft& draft) {
  const double horizon_hours = Seconds(scenario.horizon().length()).count() / 3600.0;
  Job job = draft.job;
  job.samples = std::max(1.0, std::round(draft.hours * 3600.0 * draft.pace->thrifty));
  const double lost_hours = 2.0 * Seconds(job.resume).count() / 3600.0;
  double window_hours = draft.slack * draft.ShortestHours(1) + lost_hours + 1.0 / 60.0;
  if (window_hours > kLongestWindow * horizon_hours) window_hours = draft.window_share * horizon_hours;
  job.max_workers = WorkersFor(draft, window_hours - lost_hours);
  const Duration window = std::max(WholeMinutes(window_hours), Duration{1min});
  const Duration latest = std::max(WholeMinutes(horizon_hours) - window, Duration{0});
  job.submit = scenario.start + WholeMinutes(draft.place * Seconds(latest).count() / 3600.0);
  if (job.deadline) job.deadline = job.submit + window;
  return job;
}

// Requests/s over the days: a broad peak in the afternoon, less at weekends, and noise from slot to slot.
std::vector<double> DrawRates(const Scenario& scenario, double mean, RandomStream& random) {
  const double peak_hour = random.Uniform(12.0, 20.0);
  const double swing = random.Uniform(0.4, 0.7);
  std::vector<double> rates;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const Instant begin = scenario.SlotSpan(slot).begin;
    const auto day = std::chrono::floor<std::chrono::days>(begin);
    const double hour = Seconds(begin - day).count() / 3600.0;
    const bool is_weekend = std::chrono::weekday{day}.iso_encoding() > 5;
    const double level = 1.0 + swing * std::cos((hour - peak_hour) / 24.0 * 2.0 * std::numbers::pi);
    const double rate = mean * level * (is_weekend ? 0.75 : 1.0) * random.Uniform(0.9, 1.1);
    rates.push_back(std::round(rate * 100.0) / 100.0);
  }
  return rates;
}

// One GPU of the slowest kind with batch 1 at its full clock: any group can serve this rate within the latency.
InferencePoint PlainPoint(const Scenario& scenario, const std::string& model) {
  InferencePoint slowest;
  for (const Group& group : scenario.groups) {
    const auto& points = scenario.inference.Of(model, group.gpu);
    const auto alone = std::ranges::max_element(
        points, {}, [](const InferencePoint& point) { return point.batch == 1 ? point.requests_per_s : 0.0; });
    if (slowest.requests_per_s == 0.0 || alone->requests_per_s < slowest.requests_per_s) slowest = *alone;
  }
  return slowest;
}

}  // namespace

std::vector<Job> MakeJobs(const Shape& shape, const Scenario& scenario, RandomStream random) {
  if (shape.jobs == 0) return {};
  const std::vector<std::string> models = TrainingModels();
  std::map<std::string, Pace> paces;
  for (const std::string& model : models) paces[model] = PaceOf(scenario, model);
  const double horizon_hours = Seconds(scenario.horizon().length()).count() / 3600.0;
  double gpus = 0.0;
  for (const Group& group : scenario.groups) gpus += group.gpus();

  std::vector<Draft> drafts;
  drafts.reserve(shape.jobs);
  for (std::size_t i = 0; i < shape.jobs; ++i) {
    drafts.push_back(DrawJob(shape, i, horizon_hours, models, paces, random.Split(i)));
  }
  ScaleTo(shape.load * gpus * horizon_hours, drafts);
  std::vector<Job> jobs;
  jobs.reserve(shape.jobs);
  for (const Draft& draft : drafts) jobs.push_back(Settle(scenario, draft));
  return jobs;
}

std::vector<Service> MakeServices(const Shape& shape, const Scenario& scenario, RandomStream random) {
  const std::vector<std::string> models = ServingModels();
  double gpus = 0.0;
  int largest = 0;
  for (const Group& group : scenario.groups) {
    gpus += group.gpus();
    largest = std::max(largest, group.gpus());
  }
  std::vector<Service> services;
  for (std::size_t i = 0; i < shape.services; ++i) {
    RandomStream stream = random.Split(i);
    const std::string& model = models[i % models.size()];
    const InferencePoint plain = PlainPoint(scenario, model);
    const double busy = std::max(kServingShare * gpus / static_cast<double>(shape.services), kLeastBusyGpus);
    Service service{.id = fmt::format("s{:03}", i),
                    .model = model,
                    .latency_slo = Seconds{std::round(plain.latency.count() * stream.Uniform(6.0, 15.0) * 1e3) / 1e3},
                    .percentile = stream.Chance(0.5) ? 0.99 : 0.95,
                    .requests_per_s = DrawRates(scenario, busy * plain.requests_per_s, stream),
                    .min_replicas = 1,
                    .max_replicas = 1};
    // Enough replicas for the peak at less than full clocks.
    service.max_replicas = std::min(largest, static_cast<int>(std::ceil(busy * 4.0)) + 2);
    services.push_back(std::move(service));
  }
  return services;
}

}  // namespace heliostat::scenario
