// The functions of NVML that do not concern one GPU, and those that find a GPU.

#include "fakes/nvml/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "fakes/nvml/session.h"

namespace heliostat::nvml_double {
namespace {

constexpr std::string_view kVersion = "580.0-double";

// Names that this state's GPUs have, without looking at more of them than needed.
int FindByUuid(State& state, std::string_view uuid) {
  for (int gpu = 0; gpu < state.gpus(); ++gpu) {
    if (uuid == state.Look(gpu).uuid.data()) return gpu;
  }
  return -1;
}

nvml::Return GiveHandle(int gpu, Function function, nvml::Device* device) {
  return OnGpu(gpu, function, [&](const GpuState& /*now*/, const State& state) -> nvml::Return {
    *device = HandleOf(gpu, state.generation());
    return nvml::kSuccess;
  });
}

}  // namespace

nvml::Return CopyText(std::string_view text, char* where, unsigned size) {
  if (where == nullptr) return nvml::kInvalidArgument;
  if (size <= text.size()) return nvml::kInsufficientSize;
  std::memcpy(where, text.data(), text.size());
  where[text.size()] = '\0';
  return nvml::kSuccess;
}

}  // namespace heliostat::nvml_double

using namespace heliostat::nvml_double;  // NOLINT(google-build-using-namespace): what follows is C's

Return nvmlInit_v2() {
  const Return begun = Session::Get().Begin();
  if (begun != nvml::kSuccess) return begun;
  if (const auto state = Session::Get().state()) WaitWhileHanging(*state, Function::k_nvmlInit_v2);
  return begun;
}

Return nvmlShutdown() {
  if (const auto state = Session::Get().state()) WaitWhileHanging(*state, Function::k_nvmlShutdown);
  return Session::Get().End();
}

const char* nvmlErrorString(Return code) {
  switch (code) {
    case nvml::kSuccess:
      return "Success";
    case nvml::kUninitialized:
      return "Uninitialized";
    case nvml::kInvalidArgument:
      return "Invalid Argument";
    case nvml::kNotSupported:
      return "Not Supported";
    case nvml::kNoPermission:
      return "Insufficient Permissions";
    case nvml::kNotFound:
      return "Not Found";
    case nvml::kInsufficientSize:
      return "Insufficient Size";
    case nvml::kDriverNotLoaded:
      return "Driver Not Loaded";
    case nvml::kTimeout:
      return "Timeout";
    case nvml::kGpuIsLost:
      return "GPU is lost";
    case nvml::kResetRequired:
      return "GPU requires reset";
    case nvml::kLibRmVersionMismatch:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* version, unsigned size) {
  const auto state = Session::Get().state();
  if (state == nullptr) return nvml::kUninitialized;
  WaitWhileHanging(*state, Function::k_nvmlSystemGetDriverVersion);
  return CopyText(kVersion, version, size);
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  const auto state = Session::Get().state();
  if (state == nullptr) return nvml::kUninitialized;
  if (count == nullptr) return nvml::kInvalidArgument;
  WaitWhileHanging(*state, Function::k_nvmlDeviceGetCount_v2);
  *count = static_cast<unsigned>(state->gpus());
  return nvml::kSuccess;
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (device == nullptr) return nvml::kInvalidArgument;
  return GiveHandle(index < kMostGpus ? static_cast<int>(index) : -1, Function::k_nvmlDeviceGetHandleByIndex_v2,
                    device);
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  const auto state = Session::Get().state();
  if (state == nullptr) return nvml::kUninitialized;
  if (uuid == nullptr || device == nullptr) return nvml::kInvalidArgument;
  const int gpu = FindByUuid(*state, uuid);
  return gpu < 0 ? nvml::kNotFound : GiveHandle(gpu, Function::k_nvmlDeviceGetHandleByUUID, device);
}
