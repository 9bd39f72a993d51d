#include "heliostat/planning/milp/layout.h"

#include <algorithm>

namespace heliostat::milp {
namespace {

std::vector<Interval> Without(const std::vector<Interval>& stretches, const Interval& span) {
  std::vector<Interval> left;
  for (const Interval& stretch : stretches) {
    const Interval cut = stretch.Intersect(span);
    if (cut.empty()) {
      left.push_back(stretch);
      continue;
    }
    if (stretch.begin < cut.begin) left.push_back({stretch.begin, cut.begin});
    if (cut.end < stretch.end) left.push_back({cut.end, stretch.end});
  }
  return left;
}

}  // namespace

Layout::Layout(const plan::Problem& problem, plan::Plan plan, std::vector<double> worth)
    : problem_(problem), plan_(std::move(plan)), worth_(std::move(worth)), timeline_(problem.scenario) {
  const scenario::Scenario& scenario = problem.scenario;
  for (std::size_t job = 0; job < plan_.jobs.size(); ++job) {
    for (const plan::Segment& segment : segments(job)) {
      timeline_.Hold(segment.group, segment.span, WorkersOf(job, segment));
    }
  }
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
      timeline_.Give(group, scenario.SlotSpan(slot),
                     plan_.nodes_on[group][slot] * scenario.groups[group].gpus_per_node);
    }
    for (const plan::ServicePlan& service : plan_.services) {
      timeline_.Hold(service.slots[slot].group, scenario.SlotSpan(slot), service.slots[slot].replicas);
    }
  }
}

const std::vector<scenario::TrainingPoint>& Layout::points(std::size_t job, std::size_t group) const {
  return problem_.scenario.training.Of(this->job(job).model, problem_.scenario.groups[group].gpu);
}

std::size_t Layout::SlotOf(Instant t) const {
  const auto slot = static_cast<std::size_t>((t - problem_.scenario.start) / problem_.scenario.step);
  return std::min(slot, problem_.scenario.slots - 1);
}

int Layout::WorkersOf(std::size_t job, const plan::Segment& segment) const {
  return points(job, segment.group)[segment.point].workers;
}

template <typename Body>
void Layout::ForSlots(const Interval& span, Body body) const {
  const Interval inside = span.Intersect(problem_.scenario.horizon());
  if (inside.empty()) return;
  for (std::size_t slot = SlotOf(inside.begin); slot <= SlotOf(inside.end - Duration{1}); ++slot) {
    body(slot, problem_.scenario.SlotSpan(slot).Intersect(inside));
  }
}

std::vector<Interval> Layout::FreeWithOneMoreNode(std::size_t group, const Interval& within, int workers) const {
  std::vector<Interval> free;
  const scenario::Group& where = problem_.scenario.groups[group];
  ForSlots(within, [&](std::size_t slot, const Interval& part) {
    const bool more = plan_.nodes_on[group][slot] < where.nodes;
    for (const Interval& stretch : timeline_.FreeStretches(group, part, workers - (more ? where.gpus_per_node : 0))) {
      if (!free.empty() && free.back().end == stretch.begin) {
        free.back().end = stretch.end;
      } else {
        free.push_back(stretch);
      }
    }
  });
  return free;
}

std::vector<Interval> Layout::Openings(std::size_t job, std::size_t group, const Interval& within, int workers,
                                       bool one_more_node) const {
  std::vector<Interval> free =
      one_more_node ? FreeWithOneMoreNode(group, within, workers) : timeline_.FreeStretches(group, within, workers);
  for (const plan::Segment& segment : segments(job)) free = Without(free, segment.span);
  if (barred_ && barred_job_ == job) free = Without(free, *barred_);
  return free;
}

double Layout::NodeCost(std::size_t group, const Interval& span, int workers) const {
  const scenario::Scenario& scenario = problem_.scenario;
  const scenario::Group& where = scenario.groups[group];
  const Watts extra = where.node_base - where.node_sleep + where.gpu_idle * where.gpus_per_node;
  double cost = 0.0;
  ForSlots(span, [&](std::size_t slot, const Interval& part) {
    if (timeline_.Fits(group, part, workers)) return;
    cost += std::max(0.0, worth_[slot]) * scenario.pue * InKilowattHours(extra * Seconds(scenario.step));
  });
  return cost;
}

bool Layout::MakeRoom(std::size_t group, const Interval& span, int workers) {
  const scenario::Group& where = problem_.scenario.groups[group];
  bool fits = true;
  ForSlots(span, [&](std::size_t slot, const Interval& part) {
    while (!timeline_.Fits(group, part, workers) && plan_.nodes_on[group][slot] < where.nodes) {
      ++plan_.nodes_on[group][slot];
      timeline_.Give(group, problem_.scenario.SlotSpan(slot), where.gpus_per_node);
    }
    fits = fits && timeline_.Fits(group, part, workers);
  });
  return fits;
}

void Layout::TurnOff(std::size_t group, std::size_t slot) {
  --plan_.nodes_on[group][slot];
  timeline_.Hold(group, problem_.scenario.SlotSpan(slot), problem_.scenario.groups[group].gpus_per_node);
}

void Layout::Add(std::size_t job, const plan::Segment& segment) {
  if (segment.span.empty()) return;
  timeline_.Hold(segment.group, segment.span, WorkersOf(job, segment));
  std::vector<plan::Segment>& all = plan_.jobs[job].segments;
  const auto after = std::find_if(all.begin(), all.end(),
                                  [&](const plan::Segment& other) { return other.span.begin >= segment.span.end; });
  all.insert(after, segment);
}

void Layout::Remove(std::size_t job, const Interval& span) {
  std::vector<plan::Segment> kept;
  for (const plan::Segment& segment : segments(job)) {
    const Interval cut = segment.span.Intersect(span);
    if (cut.empty()) {
      kept.push_back(segment);
      continue;
    }
    timeline_.Give(segment.group, cut, WorkersOf(job, segment));
    if (segment.span.begin < cut.begin) {
      kept.push_back(segment);
      kept.back().span.end = cut.begin;
    }
    if (cut.end < segment.span.end) {
      kept.push_back(segment);
      kept.back().span.begin = cut.end;
    }
  }
  plan_.jobs[job].segments = std::move(kept);
}

void Layout::Change(std::size_t job, const Interval& span, std::size_t point) {
  const std::size_t group = segments(job).front().group;
  Remove(job, span);
  Add(job, {span, group, point});
}

plan::Plan Layout::Take() {
  for (plan::JobPlan& job : plan_.jobs) {
    std::vector<plan::Segment> merged;
    for (const plan::Segment& segment : job.segments) {
      const bool goes_on = !merged.empty() && merged.back().span.end == segment.span.begin &&
                           merged.back().group == segment.group && merged.back().point == segment.point;
      if (goes_on) {
        merged.back().span.end = segment.span.end;
      } else {
        merged.push_back(segment);
      }
    }
    job.segments = std::move(merged);
  }
  return std::move(plan_);
}

}  // namespace heliostat::milp
