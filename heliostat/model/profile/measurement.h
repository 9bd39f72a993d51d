#pragma once

#include <optional>
#include <string>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::profile {

// One row of somebody's measurements, whatever the file looked like: a model, on a GPU, set so, was that fast.
struct Measurement {
  std::string model;
  std::string gpu;
  bool is_training = true;           // else serving
  int workers = 1;                   // GPUs at work together
  int batch = 1;                     // of one worker
  scenario::GpuSetting knob{};       // neither: the GPU's default
  double per_s = 0.0;                // samples trained or requests served a second, by all workers
  std::optional<Watts> power{};      // of all workers; files of speeds alone have none
  std::optional<Seconds> latency{};  // of one batch, serving only
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace heliostat::profile
