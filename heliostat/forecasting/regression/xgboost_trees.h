#pragma once

#include <span>

#include "heliostat/forecasting/regression/tree_ensemble.h"

namespace heliostat::regression {

// How many trees, how deep, and how far each one is trusted.
struct TreeGrowth {
  int rounds = 1;         // each round corrects the rounds before it
  int trees_a_round = 1;  // side by side; their mean counts
  int depth = 3;
  double learning_rate = 1;
  double row_share = 1;  // of the rows that each tree sees, drawn anew for each
};

// Grows trees that lessen the squared error, with XGBoost on one thread. A row
// counts as often as its weight says (no weights: once); same rows, same trees.
Result<TreeEnsemble> GrowTrees(std::span<const Features> rows, std::span<const double> values,
                               std::span<const double> weights, const TreeGrowth& growth);

}  // namespace heliostat::regression
