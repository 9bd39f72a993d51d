#include "fakes/nvml/session.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "heliostat/base/core/environment.h"

namespace heliostat::nvml_double {

struct Session::Inside {
  std::mutex mutex;
  std::shared_ptr<State> state;
  std::uint64_t generation = 0;
  int count = 0;

  bool is_void() const { return count == 0 || state->generation() != generation; }
};

Session::Session() : inside_(new Inside) {}

Session& Session::Get() {
  static Session session;
  return session;
}

nvml::Return Session::Begin() {
  const std::lock_guard hold(inside_->mutex);
  if (!inside_->is_void()) {
    ++inside_->count;
    return nvml::kSuccess;
  }
  auto opened = State::OpenNamed(ProcessEnvironment());
  if (!opened) {
    return opened.error().code == ErrorCode::kPermissionDenied ? nvml::kNoPermission : nvml::kDriverNotLoaded;
  }
  inside_->state = std::make_shared<State>(std::move(*opened));
  inside_->generation = inside_->state->generation();
  inside_->count = 1;
  return nvml::kSuccess;
}

nvml::Return Session::End() {
  const std::lock_guard hold(inside_->mutex);
  const bool was_void = inside_->is_void();
  inside_->count = was_void ? 0 : inside_->count - 1;
  if (inside_->count == 0) inside_->state.reset();
  return was_void ? nvml::kUninitialized : nvml::kSuccess;
}

std::shared_ptr<State> Session::state() {
  const std::lock_guard hold(inside_->mutex);
  return inside_->is_void() ? nullptr : inside_->state;
}

namespace {
constexpr unsigned kGpuBits = 8;
}

nvml::Device HandleOf(int gpu, std::uint64_t generation) {
  const auto number = (generation << kGpuBits) | (static_cast<std::uint64_t>(gpu) + 1);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): opaque to callers, a number to us.
  return reinterpret_cast<nvml::Device>(static_cast<std::uintptr_t>(number));
}

int GpuOf(nvml::Device device, const State& state) {
  const std::uint64_t number = reinterpret_cast<std::uintptr_t>(device);
  const int gpu = static_cast<int>(number & ((1U << kGpuBits) - 1)) - 1;
  return number >> kGpuBits == state.generation() && gpu < state.gpus() ? gpu : -1;
}

void WaitWhileHanging(State& state, Function function) {
  const auto hangs = [&](int gpu) { return Hangs(state.Look(gpu).faults, function, RealSeconds()); };
  for (int gpu = 0; gpu < state.gpus(); ++gpu) {
    while (hangs(gpu)) std::this_thread::sleep_for(kHangPeriod);
  }
}

}  // namespace heliostat::nvml_double
