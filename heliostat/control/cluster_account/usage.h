#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::cluster_account {

// What a node draws. All zeros for a node of which nothing is known.
struct NodePower {
  Watts base;      // on, without its GPUs
  Watts sleep;     // off or asleep
  Watts gpu_idle;  // one GPU
  Watts gpu_busy;  // one GPU that a job has
  friend bool operator==(const NodePower&, const NodePower&) = default;
};

// A node during a span in which its state changes once at most.
struct NodeSpan {
  NodePower power;
  int gpus = 0;
  bool is_off = false;
  std::optional<Instant> turns{};  // from then on, it is off if it was on, and on if it was off
  friend bool operator==(const NodeSpan&, const NodeSpan&) = default;
};

// GPUs of one node, as an index into the nodes.
struct GpusOnNode {
  std::size_t node = 0;
  int gpus = 0;
  friend bool operator==(const GpusOnNode&, const GpusOnNode&) = default;
};

// A job while it holds its GPUs.
struct JobSpan {
  cluster::JobKey key;
  Interval span;
  std::vector<GpusOnNode> on;
  bool is_late = false;  // it was not known in time: see Accounts::Advance()
  friend bool operator==(const JobSpan&, const JobSpan&) = default;
};

// The electricity of a span of time, shared out. The nodes sum to total(), and so do the jobs with `unused`.
struct Usage {
  std::vector<Joules> of_nodes;  // [node]
  std::vector<Joules> of_jobs;   // [job]
  Joules unused;                 // nodes that sleep, GPUs without a job and their part of a node

  Joules total() const;
};

// A job pays for its GPUs and, in proportion to them, for its nodes without GPUs. A job on a node that is off pays for
// its GPUs all the same: the cluster has reported the node's state before or after its time, and the job has run.
// Parts of jobs outside of `span` do not count.
Usage Measure(const Interval& span, std::span<const NodeSpan> nodes, std::span<const JobSpan> jobs);

}  // namespace heliostat::cluster_account
