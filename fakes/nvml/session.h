#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "fakes/nvml/fault.h"
#include "fakes/nvml/physics.h"
#include "fakes/nvml/state.h"
#include "heliostat/node/device/nvml_abi.h"

namespace heliostat::nvml_double {

namespace nvml = device::nvml;

// This process's connection to the driver. nvmlInit opens it and nvmlShutdown closes it, with a count of uses. Invalid
// once the driver is reloaded. Thread-safe.
class Session {
 public:
  static Session& Get();

  nvml::Return Begin();
  nvml::Return End();
  // nullptr before nvmlInit, after the last nvmlShutdown and after a reload.
  std::shared_ptr<State> state();

 private:
  struct Inside;
  Session();
  Inside* inside_;  // never freed: threads may still hang in a call while the process ends
};

// Handles encode the number of the GPU and the generation of the driver; they are not pointers to memory.
nvml::Device HandleOf(int gpu, std::uint64_t generation);
// -1 for a handle that this driver did not give out.
int GpuOf(nvml::Device device, const State& state);

// How often a hanging call checks whether its fault still holds.
inline constexpr std::chrono::milliseconds kHangPeriod{3};

// Answers a call of `function` on a GPU with `body(GpuState&, const State&)`, unless a fault has another answer.
template <typename Body>
nvml::Return OnGpu(int gpu, Function function, Body body) {
  for (;;) {
    const std::shared_ptr<State> state = Session::Get().state();
    if (state == nullptr) return nvml::kUninitialized;
    if (gpu < 0 || gpu >= state->gpus()) return nvml::kInvalidArgument;
    bool hangs = false;
    nvml::Return result = nvml::kSuccess;
    state->Update(gpu, [&](GpuState& now) {
      hangs = Hangs(now.faults, function, RealSeconds());
      if (hangs) return;
      if (now.faults.is_lost) {
        result = nvml::kGpuIsLost;
      } else if ((now.faults.unsupported & BitOf(function)) != 0) {
        result = nvml::kNotSupported;
      } else {
        result = body(now, *state);
      }
    });
    if (!hangs) return result;
    std::this_thread::sleep_for(kHangPeriod);
  }
}

template <typename Body>
nvml::Return OnDevice(nvml::Device device, Function function, Body body) {
  const std::shared_ptr<State> state = Session::Get().state();
  if (state == nullptr) return nvml::kUninitialized;
  return OnGpu(GpuOf(device, *state), function, body);
}

// The same for a function that changes a knob: refused without permission, and recorded in any case.
template <typename Body>
nvml::Return OnKnob(nvml::Device device, Function function, device::Knob knob, std::int64_t low, std::int64_t high,
                    Body body) {
  return OnDevice(device, function, [&](GpuState& gpu, const State& state) -> nvml::Return {
    const bool may = !gpu.faults.refuses_writes && (!state.is_root_only() || ::geteuid() == 0);
    const nvml::Return result = may ? body(gpu) : nvml::kNoPermission;
    if (result == nvml::kSuccess) ++gpu.writes[static_cast<std::size_t>(knob)];
    Record(gpu, {function, ::getpid(), result, low, high, gpu.at_s});
    return result;
  });
}

// For functions that do not concern one GPU: waits while a fault of any GPU makes `function` hang.
void WaitWhileHanging(State& state, Function function);

}  // namespace heliostat::nvml_double
