#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heliostat/model/profile/origin.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::profile {

// One row of measurements, independent of the file format: the speed of a model on a GPU at a setting.
struct Measurement {
  std::string model;
  std::string gpu;
  bool is_training = true;           // else serving
  int workers = 1;                   // GPUs used together
  int batch = 1;                     // of one worker
  scenario::GpuSetting knob{};       // neither set: the default
  double per_s = 0.0;                // samples or requests per second, of all workers
  std::optional<Watts> power{};      // of all workers; nothing in files with speeds only
  std::optional<Seconds> latency{};  // of one batch, serving only
  Origin origin = Origin::kMeasured;
  double speed_error = 0.0;  // relative error of per_s, as a share; 0: not stated
  double power_error = 0.0;  // likewise of the power
  std::int64_t line = 0;     // of the file; 0: from several lines
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace heliostat::profile
