#pragma once

#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::plan {

// A part of a plan in which a job runs at one point. The first `resume` seconds make no progress, unless the job ran in
// the same group with as many workers until the second in which the segment begins, in this plan or before it.
struct Segment {
  Interval span;
  std::size_t group = 0;
  std::size_t point = 0;  // index into training.Of(model, gpu of the group)
  friend bool operator==(const Segment&, const Segment&) = default;
};

// The segments of a job, in order of time, without overlap, all in one group.
struct JobPlan {
  std::vector<Segment> segments;
};

// How a service runs in one slot.
struct ServiceSlot {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;       // 0: the service does not run
  double utilisation = 0.0;
  Seconds latency{};  // predicted, at the percentile of the service
};

// How a service runs.
struct ServicePlan {
  std::vector<ServiceSlot> slots;  // one per slot
};

// GPUs of one node that a job holds during one run: adjoining segments with the same number of workers.
struct Hold {
  std::size_t job = 0;
  Interval span;
  std::size_t group = 0;
  int node = 0;  // counted from 0 inside the group
  int gpus = 0;
  friend bool operator==(const Hold&, const Hold&) = default;
};

// When, where and how each job and service runs, and which nodes are on. Indices are those of the scenario.
struct Plan {
  std::vector<JobPlan> jobs;
  std::vector<ServicePlan> services;
  std::vector<std::vector<int>> nodes_on;  // [group][slot]
  std::vector<Hold> holds{};               // of every run, in any order; empty when runs are not placed on nodes
};

// A plan in which nothing runs and all nodes are off.
Plan EmptyPlan(const scenario::Scenario& scenario);

// Samples that the segments of a job make; may exceed those of the job.
double SamplesDone(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan);

}  // namespace heliostat::plan
