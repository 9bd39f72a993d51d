#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/model/profile/transfer.h"

namespace heliostat::profile {

// How well models would have been carried over to GPUs where they were in fact measured.
struct LeftOut {
  std::string gpu;
  std::string model;  // empty: all models together
  std::size_t points = 0;
  double speed_mape = 0.0;
  double speed_median = 0.0;           // of the absolute relative errors
  double speed_kept = 0.0;             // share of points that were at least as fast as the cautious prediction
  std::optional<double> power_mape{};  // where draws were measured
  std::optional<double> power_kept{};  // share that drew no more than the cautious prediction
};

// Every model on every GPU in turn is left out with all that is known of it there (or, of its other batches, is not)
// and predicted from the rest. By GPU, then all models together before each of them.
std::vector<LeftOut> LeaveOneOut(std::span<const Measurement> rows, Knowledge knowledge = Knowledge::kNothing);

}  // namespace heliostat::profile
