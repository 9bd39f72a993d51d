#pragma once

#include <optional>
#include <span>
#include <string>

#include "heliostat/base/core/units.h"

namespace heliostat::training_run {

// One row of a measured profile: a model on one kind of GPU at one setting.
struct ProfileRow {
  std::string model;
  std::string gpu;  // as profile::GpuName() spells it
  int workers = 1;
  std::optional<double> core_mhz;
  std::optional<double> power_limit_w;
  double samples_per_s = 0.0;  // of all workers, and so is the power
  Watts power{};
  int batch = 1;       // samples that one worker trains in a step
  std::string source;  // "measured"
  double error = 0.0;  // half the width of the 95 % interval of the speed, as a share
  double pace = 1.0;   // below 1: the program was held for a part of the time; no setting of a GPU, so readers skip it
  Seconds measured{};  // how long
};

// The text of a profile table (heliostat/model/profile/read_table.h reads it), with columns of its own: pace and
// measured_s.
std::string ProfileTable(std::span<const ProfileRow> rows);

}  // namespace heliostat::training_run
