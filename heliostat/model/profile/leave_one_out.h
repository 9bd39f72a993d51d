#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/model/profile/transfer.h"

namespace heliostat::profile {

// How well Transfer predicts models on GPUs where they were measured.
struct LeftOut {
  std::string gpu;
  std::string model;  // empty: all models together
  std::size_t points = 0;
  double speed_mape = 0.0;
  double speed_median = 0.0;           // median of the absolute relative errors
  double speed_kept = 0.0;             // share of points at least as fast as the cautious prediction
  std::optional<double> power_mape{};  // where power was measured
  std::optional<double> power_kept{};  // share of points with at most the cautious power
};

// Leaves out each model on each GPU in turn and predicts it from the rest. `knowledge` states whether its other batches
// on that GPU may be used. Ordered by GPU; for each, all models together come first, then each model.
std::vector<LeftOut> LeaveOneOut(std::span<const Measurement> rows, Knowledge knowledge = Knowledge::kNothing);

}  // namespace heliostat::profile
