#include "heliostat/planning/milp/timeline.h"

#include <algorithm>

namespace heliostat::milp {

Timeline::Timeline(const scenario::Scenario& scenario)
    : horizon_(scenario.horizon()), steps_(scenario.groups.size(), Steps{{horizon_.begin, 0}}) {}

Timeline::Steps::iterator Timeline::StepAt(Steps& steps, Instant t) {
  const auto next = std::partition_point(steps.begin(), steps.end(), [&](const Step& step) { return step.begin < t; });
  if (next != steps.end() && next->begin == t) return next;
  return steps.insert(next, {t, std::prev(next)->free});
}

void Timeline::Give(std::size_t group, const Interval& span, int gpus) {
  const Interval inside = span.Intersect(horizon_);
  if (inside.empty()) return;
  Steps& steps = steps_[group];
  // The end first, because making the begin moves its index by one.
  if (inside.end < horizon_.end) StepAt(steps, inside.end);
  for (auto step = StepAt(steps, inside.begin); step != steps.end() && step->begin < inside.end; ++step) {
    step->free += gpus;
  }
}

bool Timeline::Fits(std::size_t group, const Interval& span, int gpus) const {
  if (span.empty()) return true;
  const std::vector<Interval> free = FreeStretches(group, span, gpus);
  return free.size() == 1 && free.front() == span;
}

std::vector<Interval> Timeline::FreeStretches(std::size_t group, const Interval& within, int gpus) const {
  std::vector<Interval> stretches;
  const Interval inside = within.Intersect(horizon_);
  if (inside.empty()) return stretches;
  const Steps& steps = steps_[group];
  auto step = std::partition_point(steps.begin(), steps.end(), [&](const Step& s) { return s.begin <= inside.begin; });
  for (--step; step != steps.end() && step->begin < inside.end; ++step) {
    if (step->free < gpus) continue;
    const Instant end = std::next(step) == steps.end() ? horizon_.end : std::next(step)->begin;
    const Interval free = Interval{step->begin, end}.Intersect(inside);
    if (!stretches.empty() && stretches.back().end == free.begin) {
      stretches.back().end = free.end;
    } else {
      stretches.push_back(free);
    }
  }
  return stretches;
}

}  // namespace heliostat::milp
