#include "heliostat/planning/admission/board.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/planning/plan/nodes.h"
#include "heliostat/planning/plan/placement.h"

namespace heliostat::admission {
namespace {

using scenario::Scenario;

// GPUs per group that may be busy at once. Under a power cap, as many as may all draw their most.
std::vector<int> GpusOf(const Scenario& scenario, const plan::Limits& limits) {
  std::vector<int> gpus;
  double asleep = 0.0;
  double awake = 0.0;
  for (const scenario::Group& group : scenario.groups) {
    double most = group.gpu_idle.value;
    for (const auto& [key, points] : scenario.training.all()) {
      if (key.second != group.gpu) continue;
      for (const auto& point : points) most = std::max(most, point.power.value / point.workers);
    }
    for (const auto& [key, points] : scenario.inference.all()) {
      if (key.second != group.gpu) continue;
      for (const auto& point : points) most = std::max(most, point.power.value);
    }
    const double on = group.node_base.value + group.gpus_per_node * most;
    const double off = limits.right_sizing ? std::min(on, group.node_sleep.value)
                                           : group.node_base.value + group.gpus_per_node * group.gpu_idle.value;
    asleep += group.nodes * off;
    awake += group.nodes * on;
    gpus.push_back(group.gpus());
  }
  if (!limits.facility_cap || awake <= asleep) return gpus;
  const double share = std::clamp((limits.facility_cap->value / scenario.pue - asleep) / (awake - asleep), 0.0, 1.0);
  for (int& count : gpus) count = static_cast<int>(share * count);
  return gpus;
}

}  // namespace

Board::Board(const Scenario& scenario, const plan::Limits& limits)
    : scenario_(scenario),
      limits_(limits),
      empty_(GpusOf(scenario, limits), (scenario.end() - scenario.start).count()),
      timetable_(empty_),
      bookings_(scenario.jobs.size()) {
  for (const scenario::Job& job : scenario.jobs) {
    ways_.push_back(WaysOf(scenario, job));
    std::ranges::stable_sort(ways_.back(), {}, [&](const Way& way) { return GpuSecondsIn(way, job); });
    gpu_seconds_.push_back(ways_.back().empty() ? 0.0 : GpuSecondsIn(ways_.back().front(), job));
  }
}

bool Board::PutServices() {
  const std::int64_t step = scenario_.step.count();
  for (const scenario::Service& service : scenario_.services) {
    auto& slots = services_.emplace_back();
    for (std::size_t t = 0; t < scenario_.slots; ++t) {
      const auto begin = static_cast<std::int64_t>(t) * step;
      std::optional<serving::ServingOption> best;
      for (const serving::ServingOption& option : serving::OptionsFor(scenario_, service, t, false)) {
        if (best && option.replicas >= best->replicas) continue;
        if (timetable_.Free(option.group, begin, begin + step) >= option.replicas) best = option;
      }
      if (!best) return false;
      timetable_.Take(best->group, begin, begin + step, best->replicas);
      slots.push_back(*best);
    }
  }
  empty_ = timetable_;
  return true;
}

Request Board::RequestOf(std::size_t job, Instant by) const {
  const Instant begin = std::max(scenario_.jobs[job].submit, scenario_.start);
  return {scenario_.jobs[job], SecondOf(begin), SecondOf(std::min(by, scenario_.end()))};
}

bool Board::Put(std::size_t job, Instant by) {
  const Request request = RequestOf(job, by);
  for (const Way& way : ways_[job]) {
    if (auto booking = timetable_.Earliest(request, way)) {
      PutBack(job, *booking);
      return true;
    }
  }
  return false;
}

bool Board::PutEarliest(std::size_t job) {
  const Request request = RequestOf(job, scenario_.end());
  std::optional<Booking> best;
  for (const Way& way : ways_[job]) {
    auto booking = timetable_.Earliest(request, way);
    if (booking && (!best || booking->end() < best->end())) best = std::move(booking);
  }
  if (best) PutBack(job, *best);
  return best.has_value();
}

Booking Board::Remove(std::size_t job) {
  Booking booking = *std::move(bookings_[job]);
  bookings_[job].reset();
  timetable_.Release(booking);
  return booking;
}

void Board::PutBack(std::size_t job, const Booking& booking) {
  timetable_.Take(booking);
  bookings_[job] = booking;
}

void Board::Restore(const State& state) {
  timetable_ = state.timetable;
  bookings_ = state.bookings;
}

std::vector<std::size_t> Board::Rivals(std::size_t job, Instant by) const {
  const Request request = RequestOf(job, by);
  std::vector<std::size_t> rivals;
  for (std::size_t j = 0; j < bookings_.size(); ++j) {
    if (j != job && bookings_[j] && bookings_[j]->Meets(request.begin, request.end)) rivals.push_back(j);
  }
  return rivals;
}

Instant Board::AnyTime(std::size_t job, Instant by, double share) const {
  const Request request = RequestOf(job, by);
  const auto length = static_cast<double>(request.end - request.begin);
  return scenario_.start + Duration(request.begin + static_cast<std::int64_t>(share * length));
}

Duration Board::Distance(std::size_t job, Instant time) const {
  const std::int64_t at = SecondOf(time);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Booking::Span& span : bookings_[job]->spans) {
    least = std::min(least, std::max<std::int64_t>({span.begin - at, at - span.end, 0}));
  }
  return Duration(least);
}

bool Board::CouldAlone(std::size_t job, Instant by) const {
  const Request request = RequestOf(job, by);
  return std::ranges::any_of(ways_[job], [&](const Way& way) { return empty_.Earliest(request, way).has_value(); });
}

std::optional<Instant> Board::FinishOf(std::size_t job) const {
  if (!bookings_[job]) return std::nullopt;
  return scenario_.start + Duration(bookings_[job]->end());
}

std::vector<std::vector<int>> Board::NodesOn(const plan::Plan& plan) const {
  const plan::Placement placement = plan::Place(scenario_, plan);
  const double step_s = Seconds(scenario_.step).count();
  std::vector<std::vector<int>> nodes_on;
  for (std::size_t g = 0; g < scenario_.groups.size(); ++g) {
    const scenario::Group& group = scenario_.groups[g];
    if (!limits_.right_sizing) {
      nodes_on.emplace_back(scenario_.slots, group.nodes);
      continue;
    }
    const double idle_watts =
        group.node_base.value + group.gpus_per_node * group.gpu_idle.value - group.node_sleep.value;
    const double wake_joules = group.wake_energy.value + group.node_base.value * Seconds(group.wake_time).count();
    const plan::NodeCosts costs{std::vector<double>(scenario_.slots, idle_watts * step_s),
                                std::vector<double>(scenario_.slots, wake_joules)};
    nodes_on.push_back(plan::KeepOn(placement.nodes_needed[g], {group.nodes, scenario_.UpBefore(g)}, costs));
  }
  return nodes_on;
}

plan::Plan Board::ToPlan() const {
  plan::Plan plan;
  for (const auto& booking : bookings_) {
    plan::JobPlan& job = plan.jobs.emplace_back();
    if (!booking) continue;
    for (const Booking::Span& span : booking->spans) {
      job.segments.push_back({{scenario_.start + Duration(span.begin), scenario_.start + Duration(span.end)},
                              booking->way.group,
                              booking->way.point});
    }
  }
  for (const auto& slots : services_) {
    plan::ServicePlan& service = plan.services.emplace_back();
    for (const serving::ServingOption& way : slots) {
      service.slots.push_back({way.group, way.point, way.replicas, way.utilisation, way.latency});
    }
  }
  plan.nodes_on = NodesOn(plan);
  return plan;
}

}  // namespace heliostat::admission
