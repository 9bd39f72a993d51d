#include "heliostat/planning/planner/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heliostat/model/serving/options.h"

namespace heliostat::planner {
namespace {

using scenario::Scenario;

constexpr double kTolerance = 1e-9;
// The most begins of spans that WhyTooMuch() tests: enough for obvious cases; the search proves the others.
constexpr std::size_t kMostBegins = 200;

bool MustBeDone(const scenario::Job& job, const plan::Limits& limits) {
  return job.deadline.has_value() || limits.finish_best_effort;
}

std::string Setting(const scenario::TrainingPoint& point) {
  std::string text = fmt::format("{} worker{}", point.workers, point.workers == 1 ? "" : "s");
  if (point.knob.power_limit_w) text += fmt::format(" at {:g} W", *point.knob.power_limit_w);
  if (point.knob.core_mhz) text += fmt::format(" at {:g} MHz", *point.knob.core_mhz);
  return text;
}

struct Fastest {
  const scenario::TrainingPoint* point = nullptr;
  std::size_t group = 0;
};

Fastest FastestFor(const Scenario& scenario, const scenario::Job& job) {
  Fastest best;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    const auto& points = scenario.training.Of(job.model, scenario.groups[g].gpu);
    for (const std::size_t i : scenario.PointsFor(job, g)) {
      if (best.point != nullptr && points[i].samples_per_s <= best.point->samples_per_s) continue;
      best = {&points[i], g};
    }
  }
  return best;
}

std::optional<std::string> WhyJobTooLong(const Scenario& scenario, const scenario::Job& job) {
  const Fastest best = FastestFor(scenario, job);
  if (best.point == nullptr) return fmt::format("job {} has no operating point that a group could run", job.id);
  const Interval window = scenario.WindowOf(job);
  const auto there = static_cast<double>(window.length().count());
  const double need = job.samples / best.point->samples_per_s + static_cast<double>(job.resume.count());
  if (need <= there) return std::nullopt;
  const bool cut = !job.deadline || *job.deadline > scenario.end();
  const Instant done = window.begin + Duration(static_cast<std::int64_t>(std::ceil(need)));
  const double possible = std::max(0.0, there - static_cast<double>(job.resume.count())) * best.point->samples_per_s;
  return fmt::format(
      "job {} cannot be done by {} {}: it needs at least {} ({} in group {}) and has {} from {}, {} too few; {} {} or "
      "at most {:.0f} of its {:.0f} samples would be possible",
      job.id, cut ? "the end of the horizon" : "its deadline", FormatInstant(window.end), InWords(Seconds(need)),
      Setting(*best.point), scenario.groups[best.group].name, InWords(Seconds(there)), FormatInstant(window.begin),
      InWords(Seconds(need - there)), cut ? "a horizon until" : "a deadline of", FormatInstant(done), possible,
      job.samples);
}

// The least GPU time in which a job can be done.
double LeastGpuSeconds(const Scenario& scenario, const scenario::Job& job) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    const auto& points = scenario.training.Of(job.model, scenario.groups[g].gpu);
    for (const std::size_t i : scenario.PointsFor(job, g)) {
      const double time = job.samples / points[i].samples_per_s + static_cast<double>(job.resume.count());
      least = std::min(least, time * points[i].workers);
    }
  }
  return least;
}

// The least GPU-seconds of all services from the start to the end of each slot.
std::vector<double> ServiceGpuSeconds(const Scenario& scenario) {
  std::vector<double> sums{0.0};
  for (std::size_t t = 0; t < scenario.slots; ++t) {
    double gpus = 0.0;
    for (const auto& service : scenario.services) {
      int least = service.max_replicas;
      for (const auto& option : serving::OptionsFor(scenario, service, t, false))
        least = std::min(least, option.replicas);
      gpus += least;
    }
    sums.push_back(sums.back() + gpus * static_cast<double>(scenario.step.count()));
  }
  return sums;
}

// Jobs whose windows lie inside a span need their GPU time in it.
std::optional<std::string> WhyTooMuch(const Scenario& scenario, const plan::Limits& limits) {
  struct Need {
    Interval window;
    double gpu_seconds = 0.0;
  };
  std::vector<Need> needs;
  std::vector<Instant> begins;
  for (const auto& job : scenario.jobs) {
    if (!MustBeDone(job, limits)) continue;
    needs.push_back({scenario.WindowOf(job), LeastGpuSeconds(scenario, job)});
    begins.push_back(needs.back().window.begin);
  }
  std::ranges::sort(needs, {}, [](const Need& need) { return need.window.end; });
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  if (begins.size() > kMostBegins) {
    std::vector<Instant> some;
    for (std::size_t i = 0; i < kMostBegins; ++i) some.push_back(begins[i * begins.size() / kMostBegins]);
    begins = std::move(some);
  }
  double gpus = 0.0;
  for (const auto& group : scenario.groups) gpus += group.gpus();
  const std::vector<double> served = ServiceGpuSeconds(scenario);
  const auto step = scenario.step.count();
  for (const Instant begin : begins) {
    double wanted = 0.0;
    std::size_t jobs = 0;
    for (const Need& need : needs) {
      if (need.window.begin < begin) continue;
      wanted += need.gpu_seconds;
      ++jobs;
      // Only whole slots inside the span count for services, so the need is never overestimated.
      const auto first = static_cast<std::size_t>((begin - scenario.start + Duration(step - 1)).count() / step);
      const auto last = static_cast<std::size_t>((need.window.end - scenario.start).count() / step);
      const double taken = last > first ? served[last] - served[first] : 0.0;
      const double there = gpus * static_cast<double>((need.window.end - begin).count()) - taken;
      if (wanted <= there * (1.0 + kTolerance)) continue;
      const double hours = (wanted - there) / 3600.0;
      const double span_h = static_cast<double>((need.window.end - begin).count()) / 3600.0;
      return fmt::format(
          "{} jobs that must run between {} and {} need at least {:.1f} GPU-hours there and {:.1f} are left by the "
          "services: {:.1f} are missing; {:.0f} more GPUs, or later deadlines, would be enough",
          jobs, FormatInstant(begin), FormatInstant(need.window.end), wanted / 3600.0, there / 3600.0, hours,
          std::ceil(hours / span_h));
    }
  }
  return std::nullopt;
}

std::optional<std::string> WhyCapTooLow(const Scenario& scenario, const plan::Limits& limits) {
  if (!limits.facility_cap) return std::nullopt;
  double watts = 0.0;
  for (const auto& group : scenario.groups) {
    watts += group.nodes *
             (limits.right_sizing
                  ? std::min(group.node_sleep.value, group.node_base.value + group.gpus_per_node * group.gpu_idle.value)
                  : group.node_base.value + group.gpus_per_node * group.gpu_idle.value);
  }
  if (watts * scenario.pue <= limits.facility_cap->value) return std::nullopt;
  return fmt::format("the cluster draws {:.3f} kW with {}, more than the cap of {:.3f} kW", watts * scenario.pue / 1e3,
                     limits.right_sizing ? "every node asleep" : "every node on and idle",
                     InKilowatts(*limits.facility_cap));
}

}  // namespace

std::string InWords(Seconds time) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(time.count() / 60.0));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::optional<std::string> WhyImpossible(const Scenario& scenario, const plan::Limits& limits) {
  if (auto why = WhyCapTooLow(scenario, limits)) return why;
  for (const auto& service : scenario.services) {
    for (std::size_t t = 0; t < scenario.slots; ++t) {
      if (serving::OptionsFor(scenario, service, t, false).empty()) return serving::WhyNone(scenario, service, t);
    }
  }
  for (const auto& job : scenario.jobs) {
    if (!MustBeDone(job, limits)) continue;
    if (auto why = WhyJobTooLong(scenario, job)) return why;
  }
  return WhyTooMuch(scenario, limits);
}

}  // namespace heliostat::planner
