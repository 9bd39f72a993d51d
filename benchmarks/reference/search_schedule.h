#pragma once

#include <span>

namespace heliostat::reference {

// The steps of a search. Smoothing widths are shares of a slot's renewable energy or of a group's GPUs. A smaller width
// is closer to the true cost, but a search gets stuck earlier.
struct SearchSchedule {
  // Prices. Each round moves every job once. The mean over rounds converges; later rounds count more.
  double price_width = 1.0;
  int rounds = 48;
  int rounds_between_bounds = 6;
  int rounds_known = 0;            // weight of the prices from memory, in rounds
  double least_bound_gain = 2e-3;  // share of the objective's scale; a smaller gain between two bounds ends the rounds
  // The plan. It is filled at one width, swept at smaller and smaller ones, and then at the true cost while that gains
  // enough.
  double fill_width = 0.05;
  std::span<const double> sweep_widths;
  double whole_width = 0.15;  // below this width, nodes count more and more as whole nodes
  int last_sweeps = 8;
  double least_sweep_gain = 3e-4;  // share of the objective's scale
  double least_sweep_share = 0.1;  // share of the requested gap; the larger of the two ends the sweeps
  // Up to this many nodes, the search also computes BoundWithServiceNodes().
  int small_nodes = 64;

  // Without memory; from the prices of a former plan; and to repair a former plan when no proof is needed.
  static SearchSchedule Cold();
  static SearchSchedule Warm();
  static SearchSchedule Mend();
};

}  // namespace heliostat::reference
