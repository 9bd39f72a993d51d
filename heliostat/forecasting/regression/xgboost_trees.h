#pragma once

#include <span>

#include "heliostat/forecasting/regression/tree_ensemble.h"

namespace heliostat::regression {

// The number and size of the trees, and the weight of each.
struct TreeGrowth {
  int rounds = 1;         // each corrects the rounds before it
  int trees_a_round = 1;  // independent; their mean counts
  int depth = 3;
  double learning_rate = 1;
  double row_share = 1;  // share of the rows for each tree, drawn again for each
};

// Grows trees that minimise the squared error, with XGBoost on one thread. A row counts as often as its weight (once
// without weights). The same rows give the same trees. kInvalidArgument when the values are too large.
Result<TreeEnsemble> GrowTrees(std::span<const Features> rows, std::span<const double> values,
                               std::span<const double> weights, const TreeGrowth& growth);

}  // namespace heliostat::regression
