#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/milp/timeline.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// A plan in the making: what is placed so far, and the GPUs that are left for the rest.
class Layout {
 public:
  // Begins with what `plan` has. `worth`: what a kWh more costs in each slot.
  Layout(const plan::Problem& problem, plan::Plan plan, std::vector<double> worth);

  const plan::Problem& problem() const { return problem_; }
  const scenario::Job& job(std::size_t index) const { return problem_.scenario.jobs[index]; }
  const std::vector<scenario::TrainingPoint>& points(std::size_t job, std::size_t group) const;
  const std::vector<plan::Segment>& segments(std::size_t job) const { return plan_.jobs[job].segments; }
  double worth(Instant t) const { return worth_[SlotOf(t)]; }
  std::size_t SlotOf(Instant t) const;
  double SamplesOf(std::size_t job) const { return plan::SamplesDone(problem_.scenario, job, plan_.jobs[job]); }

  // Stretches in which the job could run with so many workers: GPUs are free and it does not run already. With
  // `one_more_node`, as if every slot that can have one had one node more.
  std::vector<Interval> Openings(std::size_t job, std::size_t group, const Interval& within, int workers,
                                 bool one_more_node = false) const;
  // From now on the job has no openings in the span.
  void Bar(std::size_t job, const Interval& span) {
    barred_job_ = job;
    barred_ = span;
  }
  // Objective units that the nodes cost which would have to be turned on for it. Negative worth counts as none.
  double NodeCost(std::size_t group, const Interval& span, int workers) const;

  // Turns on nodes until the span fits; false when there are not enough.
  bool MakeRoom(std::size_t group, const Interval& span, int workers);
  // One node less. What runs may be too much then, until it is removed.
  void TurnOff(std::size_t group, std::size_t slot);
  void Add(std::size_t job, const plan::Segment& segment);
  // Removes the span from the job's segments.
  void Remove(std::size_t job, const Interval& span);
  // Runs the job at another point of as many workers.
  void Change(std::size_t job, const Interval& span, std::size_t point);

  // Segments that adjoin at one point become one.
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
