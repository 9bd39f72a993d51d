#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

// Limits on how much of the schedules a page shows.
struct ScheduleLimits {
  std::size_t jobs = 400;       // those with the most energy, the same for all policies
  std::size_t pieces = 60'000;  // bars of all policies together; jobs are left out to keep to it
  std::size_t nodes = 96;
};

// What ran when, and which nodes were not on, under every policy, reduced to ScheduleLimits. Holds references to the
// scenario and the comparison; their owners must outlive it. Immutable after construction.
class ShownSchedule {
 public:
  ShownSchedule(const scenario::Scenario& scenario, const sim::Comparison& comparison, const ScheduleLimits& limits);

  // Indices of the jobs shown, in the order of submission.
  const std::vector<std::size_t>& jobs() const { return jobs_; }
  std::size_t nodes_shown() const { return nodes_.size(); }

  // For the page's script: {start, end, jobs: [[id, model, submit, deadline]], settings: [[text, workers]], nodes:
  // [name], runs: [{done: [finish], pieces: [job, begin, length, setting, ...], down: [node, begin, length, state,
  // ...]}]}. Times are seconds since start, -1 is never; states are 1 waking, 2 asleep, 3 failed.
  std::string Data() const;

  // The first `most` of the jobs shown, under one policy, as SVG for browsers without scripts. Empty without jobs.
  std::string Picture(std::size_t run, std::size_t most) const;

 private:
  struct Piece {
    Interval span;
    std::size_t setting = 0;
  };
  struct Setting {
    std::string text;
    int workers = 1;
  };
  struct Node {
    std::size_t group = 0;
    int node = 0;
  };

  void ChooseJobs(const ScheduleLimits& limits);
  void ChooseNodes(const ScheduleLimits& limits);
  std::vector<Piece> PiecesOf(const sim::SimulatedRun& run, std::size_t job) const;
  void CollectSettings();
  std::string RunData(const sim::SimulatedRun& run) const;
  std::string NodeData(const sim::SimulatedRun& run) const;
  std::int64_t Since(Instant t) const { return (t - scenario_.start).count(); }

  const scenario::Scenario& scenario_;
  const sim::Comparison& comparison_;
  std::vector<std::size_t> jobs_;
  std::vector<Node> nodes_;
  std::vector<Setting> settings_;  // sorted by workers and text
};

}  // namespace heliostat::simulation_page
