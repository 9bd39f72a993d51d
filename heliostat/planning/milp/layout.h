#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/milp/timeline.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// A plan in the making: the segments placed so far, and the GPUs that are free. Refers to the problem, which must
// outlive it. Not thread-safe.
class Layout {
 public:
  // Begins with the content of `plan`. `worth` is the cost of one more kWh in each slot, in objective units.
  Layout(const plan::Problem& problem, plan::Plan plan, std::vector<double> worth);

  const plan::Problem& problem() const { return problem_; }
  const scenario::Job& job(std::size_t index) const { return problem_.scenario.jobs[index]; }
  const std::vector<scenario::TrainingPoint>& points(std::size_t job, std::size_t group) const;
  const std::vector<plan::Segment>& segments(std::size_t job) const { return plan_.jobs[job].segments; }
  double worth(Instant t) const { return worth_[SlotOf(t)]; }
  std::size_t SlotOf(Instant t) const;
  double SamplesOf(std::size_t job) const { return plan::SamplesDone(problem_.scenario, job, plan_.jobs[job]); }

  // Spans in which the job could run with that many workers: GPUs are free and it does not run yet. With
  // `one_more_node`, as if every slot had one node more where the group has one.
  std::vector<Interval> Openings(std::size_t job, std::size_t group, const Interval& within, int workers,
                                 bool one_more_node = false) const;
  // From now on Openings() leaves out this span for this job. Only the last call counts.
  void Bar(std::size_t job, const Interval& span) {
    barred_job_ = job;
    barred_ = span;
  }
  // The cost of the nodes that would have to be turned on for the span, in objective units. A negative worth counts as
  // 0.
  double NodeCost(std::size_t group, const Interval& span, int workers) const;

  // Turns on nodes until the span fits. False when there are not enough.
  bool MakeRoom(std::size_t group, const Interval& span, int workers);
  // Turns one node off. GPUs may then be overused until segments are removed.
  void TurnOff(std::size_t group, std::size_t slot);
  void Add(std::size_t job, const plan::Segment& segment);
  // Removes the span from the job's segments.
  void Remove(std::size_t job, const Interval& span);
  // Runs the job in the span at another point with as many workers.
  void Change(std::size_t job, const Interval& span, std::size_t point);

  // The plan, with adjoining segments at one point joined. Call once.
  plan::Plan Take();

 private:
  std::vector<Interval> FreeWithOneMoreNode(std::size_t group, const Interval& within, int workers) const;
  int WorkersOf(std::size_t job, const plan::Segment& segment) const;
  template <typename Body>
  void ForSlots(const Interval& span, Body body) const;

  const plan::Problem& problem_;
  plan::Plan plan_;
  std::vector<double> worth_;
  Timeline timeline_;
  std::size_t barred_job_ = 0;
  std::optional<Interval> barred_;
};

}  // namespace heliostat::milp
