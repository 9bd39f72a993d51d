#pragma once

// For tests: a machine with two modelled cards, an H200 and an A40.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/device_model/simulated_gpu.h"
#include "heliostat/node/gpu_access/gpus.h"

namespace heliostat::gpu_access {

class TwoCards final : public device::GpuDriver {
 public:
  std::string_view name() const override { return "simulated"; }
  std::string version() const override { return "1"; }
  std::vector<std::string> troubles() const override { return troubles_; }
  Result<std::vector<std::unique_ptr<device::Gpu>>> Gpus() override {
    std::vector<std::unique_ptr<device::Gpu>> gpus;
    gpus.push_back(std::make_unique<device_model::SimulatedGpu>(*device_model::FindCardModel("H200"), 0));
    gpus.push_back(std::make_unique<device_model::SimulatedGpu>(*device_model::FindCardModel("A40"), 1));
    return gpus;
  }
  void Trouble(std::string what) { troubles_.push_back(std::move(what)); }

 private:
  std::vector<std::string> troubles_;
};

inline Gpus TwoGpus() {
  Gpus gpus;
  gpus.driver = std::make_unique<TwoCards>();
  gpus.all = *gpus.driver->Gpus();
  return gpus;
}

inline device_model::SimulatedGpu& CardOf(const Gpus& gpus, std::size_t index) {
  return dynamic_cast<device_model::SimulatedGpu&>(*gpus.all.at(index));
}

}  // namespace heliostat::gpu_access
