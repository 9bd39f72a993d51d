#include "heliostat/model/workload/queue.h"

#include <algorithm>
#include <cmath>

#include "heliostat/model/workload/to_jobs.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

Instant NextMinute(Instant t) { return std::chrono::ceil<std::chrono::minutes>(t); }

}  // namespace

std::vector<int> GpusForJobs(const scenario::Scenario& scenario) {
  std::vector<int> gpus;
  for (const scenario::Group& group : scenario.groups) gpus.push_back(group.gpus());
  for (const scenario::Service& service : scenario.services) {
    int& largest = *std::ranges::max_element(gpus);
    largest = std::max(largest - service.max_replicas, 0);
  }
  return gpus;
}

Queue::Queue(const scenario::Scenario& scenario) : scenario_(scenario) {
  for (const int gpus : GpusForJobs(scenario)) free_at_.emplace_back(static_cast<std::size_t>(gpus), scenario.start);
}

double Queue::Speed(const std::string& model, std::size_t group, int workers) {
  const auto [known, is_new] = speeds_.try_emplace({model, group, workers}, 0.0);
  if (is_new) known->second = DefaultSpeed(scenario_, model, scenario_.groups[group].gpu, workers);
  return known->second;
}

std::optional<Instant> Queue::Run(const scenario::Job& job, int workers) {
  const auto needed = static_cast<std::size_t>(workers);
  std::optional<Instant> soonest;
  std::size_t where = 0;
  for (std::size_t group = 0; group < free_at_.size(); ++group) {
    const double speed = Speed(job.model, group, workers);
    if (speed <= 0.0 || free_at_[group].size() < needed) continue;
    const Instant start = std::max(job.submit, free_at_[group][needed - 1]);
    const auto takes = Duration{static_cast<std::int64_t>(std::ceil(job.samples / speed))} + job.resume;
    const Instant done = NextMinute(start + takes);
    if (soonest && *soonest <= done) continue;
    soonest = done;
    where = group;
  }
  if (!soonest || *soonest > scenario_.end()) return std::nullopt;
  std::vector<Instant>& gpus = free_at_[where];
  const auto taken = gpus.begin() + static_cast<std::ptrdiff_t>(needed);
  std::fill(gpus.begin(), taken, *soonest);
  std::inplace_merge(gpus.begin(), taken, gpus.end());
  return soonest;
}

}  // namespace heliostat::workload
