#pragma once

#include <span>

namespace heliostat::decomposition {

// How much a search does, and how. Smoothing widths are shares of a slot's renewable energy, or of a group's GPUs: the
// smaller, the nearer to the true cost and the sooner a search gets stuck.
struct SearchSchedule {
  // Prices. Each round moves every job once; the mean over rounds, later ones counting more, is what converges.
  double price_width = 1.0;
  int rounds = 48;
  int rounds_between_bounds = 6;
  int rounds_known = 0;            // what prices to begin from are worth, in rounds
  double least_bound_gain = 2e-3;  // of the objective's scale: less, between two bounds, ends the rounds
  // The plan. It is filled at one width, swept at ever smaller ones, and then at the true cost while that gains.
  double fill_width = 0.05;
  std::span<const double> sweep_widths;
  double whole_width = 0.15;  // from this width down nodes count more and more as whole ones
  int last_sweeps = 8;
  double least_sweep_gain = 3e-4;  // of the objective's scale
  double least_sweep_share = 0.1;  // of the gap asked for; the larger of the two ends the sweeps
  // Up to this many nodes, whole nodes matter to the bound.
  int small_nodes = 64;

  // From nothing; from a former plan's prices; and the former plan merely mended, when no proof is wanted.
  static SearchSchedule Cold();
  static SearchSchedule Warm();
  static SearchSchedule Mend();
};

}  // namespace heliostat::decomposition
