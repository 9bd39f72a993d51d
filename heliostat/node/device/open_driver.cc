#include "heliostat/node/device/open_driver.h"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

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

using OpenedGpu = Result<std::unique_ptr<Gpu>>;

// Cards that are being opened, each by a thread of its own. The threads share it, and may outlive the caller.
struct Opening {
  explicit Opening(unsigned count) : gpus(count), left(count) {}

  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::optional<OpenedGpu>> gpus;  // absent: does not answer yet
  unsigned left;
};

// Opens `count` cards at the same time, and waits for them up to `patience`.
std::vector<std::optional<OpenedGpu>> OpenAll(const std::shared_ptr<nvml::Library>& library, unsigned count,
                                              std::chrono::milliseconds patience) {
  const auto opening = std::make_shared<Opening>(count);
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < count; ++index) {
    threads.emplace_back([opening, library, index] {
      auto gpu = NvmlGpu::Open(library, index);
      const std::lock_guard hold(opening->mutex);
      opening->gpus[index].emplace(std::move(gpu));
      --opening->left;
      opening->wake.notify_one();
    });
  }
  std::vector<std::optional<OpenedGpu>> opened(count);
  {
    std::unique_lock hold(opening->mutex);
    opening->wake.wait_for(hold, patience, [&] { return opening->left == 0; });
    for (unsigned index = 0; index < count; ++index) {
      if (opening->gpus[index]) opened[index] = std::exchange(opening->gpus[index], std::nullopt);
    }
  }
  for (unsigned index = 0; index < count; ++index) {
    if (opened[index]) {
      threads[index].join();
    } else {
      threads[index].detach();  // It cannot be ended while it hangs in the driver.
    }
  }
  return opened;
}

class NvmlDriver final : public GpuDriver {
 public:
  NvmlDriver(std::shared_ptr<nvml::Library> library, std::chrono::milliseconds patience)
      : library_(std::move(library)), patience_(patience) {
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
    auto opened = OpenAll(library_, count, patience_);
    std::vector<std::unique_ptr<Gpu>> gpus;
    for (unsigned index = 0; index < count; ++index) {
      auto& gpu = opened[index];
      if (!gpu) {
        troubles_.push_back(fmt::format("GPU {}: the driver does not answer; it is left out", index));
      } else if (*gpu) {
        gpus.push_back(std::move(**gpu));
      } else {
        troubles_.push_back(gpu->error().Line());
      }
    }
    return gpus;
  }

 private:
  std::shared_ptr<nvml::Library> library_;
  std::chrono::milliseconds patience_;
  std::vector<std::string> troubles_;
};

}  // namespace

std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment, std::chrono::milliseconds patience) {
  auto library = nvml::Library::Load(environment("HELIOSTAT_NVML").value_or("libnvidia-ml.so.1"));
  if (!library) return std::make_unique<NoDriver>(library.error());
  return std::make_unique<NvmlDriver>(std::move(*library), patience);
}

}  // namespace heliostat::device
