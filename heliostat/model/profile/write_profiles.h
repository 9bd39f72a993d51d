#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// A profile table for scenarios, training or inference, like the measurements.
struct ProfileTable {
  bool is_training = true;
  std::string text;
  std::size_t rows = 0;
  std::size_t left_out = 0;  // measurements that do not go into the table
};

// Makes a profile table. Scenarios do not know the batch of a training job, so each model has one: the given one or
// else, of those measured on most of its GPUs, the fastest. Inference tables are for one GPU, so rows with more GPUs
// are left out. After the columns that scenarios need come the batch (of training), the origin of the row ("source")
// and the relative errors of speed and power, empty where they are not stated. Fails on a mix of training and serving,
// and on measurements without power.
Result<ProfileTable> ToProfileTable(std::span<const Measurement> rows, std::optional<int> batch);

// The batch that ToProfileTable() takes for a training model.
int BatchOf(std::span<const Measurement> rows, const std::string& model);

}  // namespace heliostat::profile
