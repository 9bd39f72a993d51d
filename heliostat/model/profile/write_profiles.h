#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// A profile table as scenarios take it, training or inference, whichever the measurements are of.
struct ProfileTable {
  bool is_training = true;
  std::string text;
  std::size_t rows = 0;
  std::size_t left_out = 0;  // measurements that such a table cannot hold or does not need
};

// Training tables have no batch, so each model gets one: the one asked for, or else, of those that most of its GPUs
// have, the fastest. Inference tables are of one GPU, so rows of more are left out. Refuses a mix of training and
// serving, and measurements without draws.
Result<ProfileTable> ToProfileTable(std::span<const Measurement> rows, std::optional<int> batch);

// The batch that ToProfileTable would take for a model that is trained.
int BatchOf(std::span<const Measurement> rows, const std::string& model);

}  // namespace heliostat::profile
