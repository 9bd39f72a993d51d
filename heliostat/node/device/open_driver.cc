#include "heliostat/node/device/open_driver.h"

#include <fmt/format.h>

#include <array>

#include "heliostat/node/device/nvml_gpu.h"

namespace heliostat::device {
namespace {

// A machine without a driver: no GPUs, and the reason.
class NoDriver final : public GpuDriver {
 public:
  explicit NoDriver(const Error& why) : why_(why.Line()) {}
  std::string_view name() const override { return "none"; }
  std::string version() const override { return {}; }
  std::vector<std::string> troubles() const override { return {why_}; }
  Result<std::vector<std::unique_ptr<Gpu>>> Gpus() override { return std::vector<std::unique_ptr<Gpu>>{}; }

 private:
  std::string why_;
};

class NvmlDriver final : public GpuDriver {
 public:
  explicit NvmlDriver(std::shared_ptr<nvml::Library> library) : library_(std::move(library)) {
    // One of these two is enough: the second is the first's older name.
    const bool has_reasons = library_->call().nvmlDeviceGetCurrentClocksEventReasons != nullptr ||
                             library_->call().nvmlDeviceGetCurrentClocksThrottleReasons != nullptr;
    for (const std::string& name : library_->missing()) {
      const bool is_reason = name.ends_with("EventReasons") || name.ends_with("ThrottleReasons");
      if (!is_reason || !has_reasons) troubles_.push_back(fmt::format("this NVML has no {}", name));
    }
  }

  std::string_view name() const override { return "NVML"; }
  std::string version() const override {
    std::array<char, nvml::kVersionSize> text{};
    const auto ask = library_->call().nvmlSystemGetDriverVersion;
    if (ask == nullptr || ask(text.data(), nvml::kVersionSize) != nvml::kSuccess) return {};
    return text.data();
  }
  std::vector<std::string> troubles() const override { return troubles_; }

  Result<std::vector<std::unique_ptr<Gpu>>> Gpus() override {
    unsigned count = 0;
    const nvml::Return code = library_->call().nvmlDeviceGetCount_v2(&count);
    if (code != nvml::kSuccess) return tl::unexpected(library_->ToError(code, "NVML", "count the GPUs"));
    std::vector<std::unique_ptr<Gpu>> gpus;
    for (unsigned index = 0; index < count; ++index) {
      auto gpu = NvmlGpu::Open(library_, index);
      if (gpu) {
        gpus.push_back(std::move(*gpu));
      } else {
        troubles_.push_back(gpu.error().Line());
      }
    }
    return gpus;
  }

 private:
  std::shared_ptr<nvml::Library> library_;
  std::vector<std::string> troubles_;
};

}  // namespace

std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment) {
  auto library = nvml::Library::Load(environment("HELIOSTAT_NVML").value_or("libnvidia-ml.so.1"));
  if (!library) return std::make_unique<NoDriver>(library.error());
  return std::make_unique<NvmlDriver>(std::move(*library));
}

}  // namespace heliostat::device
