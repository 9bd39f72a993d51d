#include "heliostat/node/device/open_driver.h"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
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
  bool is_complete() const override { return false; }

 private:
  std::string why_;
};

using OpenedGpu = Result<std::unique_ptr<Gpu>>;

// Opens cards at the same time, each by a thread of its own, so that one that hangs delays no other. Not thread-safe.
class GpuOpener {
 public:
  explicit GpuOpener(std::shared_ptr<nvml::Library> library) : library_(std::move(library)) {}
  GpuOpener(const GpuOpener&) = delete;
  GpuOpener& operator=(const GpuOpener&) = delete;
  ~GpuOpener() {
    // They cannot be ended while they hang in the driver.
    for (auto& entry : threads_) entry.second.detach();
  }

  // Begins to open a card, unless an earlier attempt has not returned yet.
  void Begin(unsigned index) {
    if (threads_.count(index) > 0) return;
    threads_.emplace(index, std::thread([shared = shared_, library = library_, index] {
                       auto gpu = NvmlGpu::Open(library, index);
                       const std::lock_guard hold(shared->mutex);
                       shared->opened.emplace(index, std::move(gpu));
                       shared->wake.notify_one();
                     }));
  }
  // Waits up to `patience` for the cards that are being opened, and returns those that were.
  std::map<unsigned, OpenedGpu> Take(std::chrono::milliseconds patience) {
    std::map<unsigned, OpenedGpu> opened;
    {
      std::unique_lock hold(shared_->mutex);
      shared_->wake.wait_for(hold, patience, [this] { return shared_->opened.size() == threads_.size(); });
      opened = std::exchange(shared_->opened, {});
    }
    for (const auto& entry : opened) {
      threads_.at(entry.first).join();
      threads_.erase(entry.first);
    }
    return opened;
  }

 private:
  // What the threads use, which may outlive the opener.
  struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    std::map<unsigned, OpenedGpu> opened;
  };

  std::shared_ptr<nvml::Library> library_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::map<unsigned, std::thread> threads_;  // by the index of the card
};

class NvmlDriver final : public GpuDriver {
 public:
  NvmlDriver(std::shared_ptr<nvml::Library> library, std::chrono::milliseconds patience)
      : library_(std::move(library)), opener_(library_), patience_(patience) {
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
  std::vector<std::string> troubles() const override {
    std::vector<std::string> all = troubles_;
    all.insert(all.end(), left_out_.begin(), left_out_.end());
    return all;
  }
  bool is_complete() const override { return !opened_.empty() && left_out_.empty(); }

  Result<std::vector<std::unique_ptr<Gpu>>> Gpus() override {
    unsigned count = 0;
    const std::uint64_t generation = library_->generation();
    nvml::Return code = library_->call().nvmlDeviceGetCount_v2(&count);
    // The kernel driver was reloaded since.
    if (code == nvml::kUninitialized && library_->Restart(generation)) {
      code = library_->call().nvmlDeviceGetCount_v2(&count);
    }
    if (code != nvml::kSuccess) return tl::unexpected(library_->ToError(code, "NVML", "count the GPUs"));
    for (unsigned index = 0; index < count; ++index) {
      if (opened_.count(index) == 0) opener_.Begin(index);
    }
    auto opened = opener_.Take(patience_);
    left_out_.clear();
    std::vector<std::unique_ptr<Gpu>> gpus;
    for (unsigned index = 0; index < count; ++index) {
      if (opened_.count(index) > 0) continue;
      const auto gpu = opened.find(index);
      if (gpu == opened.end()) {
        left_out_.push_back(fmt::format("GPU {}: the driver does not answer; it is left out", index));
      } else if (gpu->second) {
        gpus.push_back(std::move(*gpu->second));
        opened_.insert(index);
      } else {
        left_out_.push_back(gpu->second.error().Line());
      }
    }
    return gpus;
  }

 private:
  std::shared_ptr<nvml::Library> library_;
  GpuOpener opener_;
  std::chrono::milliseconds patience_;
  std::vector<std::string> troubles_;
  std::set<unsigned> opened_;          // indices
  std::vector<std::string> left_out_;  // why, one line per GPU
};

}  // namespace

std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment, std::chrono::milliseconds patience) {
  auto library = nvml::Library::Load(environment("HELIOSTAT_NVML").value_or("libnvidia-ml.so.1"));
  if (!library) return std::make_unique<NoDriver>(library.error());
  return std::make_unique<NvmlDriver>(std::move(*library), patience);
}

}  // namespace heliostat::device
