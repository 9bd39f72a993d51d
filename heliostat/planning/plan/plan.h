#pragma once

#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::plan {

// A job runs at one operating point. The first `resume` seconds of a segment make no progress unless the job ran with
// as many workers in the same group until the very second in which the segment begins.
struct Segment {
  Interval span;
  std::size_t group = 0;
  std::size_t point = 0;  // index into training.Of(model, gpu of the group)
  friend bool operator==(const Segment&, const Segment&) = default;
};

// In order of time, without overlap, all in one group.
struct JobPlan {
  std::vector<Segment> segments;
};

// How a service runs in one slot.
struct ServiceSlot {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;       // 0: nothing to serve and nothing kept ready
  double utilisation = 0.0;
  Seconds latency{};  // predicted percentile
};

struct ServicePlan {
  std::vector<ServiceSlot> slots;  // one a slot
};

// What runs when, where and how. Indices are those of the scenario.
struct Plan {
  std::vector<JobPlan> jobs;
  std::vector<ServicePlan> services;
  std::vector<std::vector<int>> nodes_on;  // [group][slot]
};

// Nothing runs, all nodes are off.
Plan EmptyPlan(const scenario::Scenario& scenario);

// Samples of a job that its segments make.
double SamplesDone(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan);

}  // namespace heliostat::plan
