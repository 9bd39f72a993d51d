#pragma once

// For tests: a simulated card that shows where all its knobs stand, remembers how long the journal was at each write,
// and dies in the middle of a chosen call.

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::lease {

// Only tests catch it: stands for the end of the process.
struct CrashNow {};

class WatchedGpu final : public device::Gpu {
 public:
  explicit WatchedGpu(device_model::SimulatedGpu& gpu) : gpu_(&gpu) {}

  const device::Identity& identity() const override { return gpu_->identity(); }
  const device::Abilities& abilities() const override { return gpu_->abilities(); }
  Result<device::Reading> Read() override { return gpu_->Read(); }
  Result<Joules> Energy() override { return gpu_->Energy(); }
  Result<device::Details> Inspect() override { return gpu_->Inspect(); }
  Result<device::Setting> Stands(device::Knob knob) override {
    Pass();
    return gpu_->Stands(knob);
  }
  Result<device::Applied> Apply(const device::Setting& wanted) override {
    if (before_apply) before_apply();
    Pass();
    auto applied = gpu_->Apply(wanted);
    if (applied && wanted.knob != device::Knob::kPowerLimit) clocks_[wanted.knob] = wanted;
    Pass();
    return applied;
  }

  // The call after `calls` more throws CrashNow: a write does so before or after it reaches the card.
  void CrashAfter(int calls) { left_ = calls; }
  void Reload() {
    gpu_->Reload();
    clocks_.clear();
  }
  device::Setting core_clock() const {
    const auto found = clocks_.find(device::Knob::kCoreClock);
    return found == clocks_.end() ? device::Setting::Default(device::Knob::kCoreClock) : found->second;
  }
  // As if another program had set it before.
  void SetCoreClock(const device::Setting& setting) {
    gpu_->SetBehindOurBack(setting);
    clocks_[device::Knob::kCoreClock] = setting;
  }

  std::function<void()> before_apply;

 private:
  void Pass() {
    if (left_ >= 0 && left_-- == 0) throw CrashNow();
  }

  device_model::SimulatedGpu* gpu_;
  std::map<device::Knob, device::Setting> clocks_;
  int left_ = -1;
};

}  // namespace heliostat::lease
