#include "heliostat/planning/planner/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/model/serving/options.h"

namespace heliostat::planner {
namespace {

using scenario::Scenario;

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

std::string WhyTooLong(const Scenario& scenario, const scenario::Job& job) {
  const Fastest best = FastestFor(scenario, job);
  if (best.point == nullptr) return "no group can run it";
  const Interval window = scenario.WindowOf(job);
  const auto there = static_cast<double>(window.length().count());
  const double need = job.samples / best.point->samples_per_s + static_cast<double>(job.resume.count());
  const bool cut = !job.deadline || *job.deadline > scenario.end();
  const Instant done = window.begin + Duration(static_cast<std::int64_t>(std::ceil(need)));
  const double possible = std::max(0.0, there - static_cast<double>(job.resume.count())) * best.point->samples_per_s;
  return fmt::format(
      "its window of {} until {} is shorter than its fastest run of {} ({} in group {}); {} {} or at most {:.0f} of "
      "its "
      "{:.0f} samples would be possible",
      InWords(Seconds(there)), cut ? "the end of the horizon" : "its deadline", InWords(Seconds(need)),
      Setting(*best.point), scenario.groups[best.group].name, cut ? "a horizon until" : "a deadline of",
      FormatInstant(done), possible, job.samples);
}

// The span that lacks the most GPU time among those that the window lies in; else among those that it overlaps.
const admission::Shortage* WorstFor(const admission::MissBound& bound, const Interval& window) {
  const admission::Shortage* worst = nullptr;
  const auto rank = [&](const admission::Shortage& shortage) {
    return std::pair(shortage.span.Contains(window), shortage.wanted_gpu_s - shortage.there_gpu_s);
  };
  for (const admission::Shortage& shortage : bound.shortages) {
    if (shortage.span.Intersect(window).empty()) continue;
    if (worst == nullptr || rank(shortage) > rank(*worst)) worst = &shortage;
  }
  return worst;
}

std::string WhoComesFirst(const Scenario& scenario, const scenario::Job& job) {
  const bool weights_differ =
      std::ranges::any_of(scenario.jobs, [&](const scenario::Job& other) { return other.weight != job.weight; });
  return weights_differ ? fmt::format("it weighs {:g}, and the least weight misses", job.weight)
                        : "as many jobs as possible keep theirs";
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
  return std::nullopt;
}

std::string WhyMissed(const Scenario& scenario, const admission::MissBound& bound, std::size_t job) {
  const scenario::Job& who = scenario.jobs[job];
  if (std::ranges::find(bound.alone, job) != bound.alone.end()) return WhyTooLong(scenario, who);
  const Interval window = scenario.WindowOf(who);
  const std::string first = WhoComesFirst(scenario, who);
  if (const admission::Shortage* worst = WorstFor(bound, window)) {
    const double missing_h = (worst->wanted_gpu_s - worst->there_gpu_s) / 3600.0;
    const double span_h = Seconds(worst->span.length()).count() / 3600.0;
    return fmt::format(
        "GPUs are short between {} and {}: jobs that must run there need at least {:.1f} GPU-hours and {:.1f} are left "
        "by the services; {}; {:.0f} more GPUs, or later deadlines, could help",
        FormatInstant(worst->span.begin), FormatInstant(worst->span.end), worst->wanted_gpu_s / 3600.0,
        worst->there_gpu_s / 3600.0, first, std::max(1.0, std::ceil(missing_h / span_h)));
  }
  return fmt::format("other jobs hold the GPUs between {} and {}, and no plan was found that keeps all deadlines; {}",
                     FormatInstant(window.begin), FormatInstant(window.end), first);
}

}  // namespace heliostat::planner
