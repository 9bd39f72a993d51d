#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/gpu_access/gpus.h"

namespace heliostat::training_run {

// The names of a program's GPUs: those that the user gives, else those in CUDA_VISIBLE_DEVICES, else all.
std::vector<std::string> GpuNames(const std::vector<std::string>& given, const Environment& environment);

// kUnavailable for a machine without GPUs.
Result<std::vector<device::Gpu*>> ChooseGpus(const gpu_access::Gpus& all, const std::vector<std::string>& names);

}  // namespace heliostat::training_run
