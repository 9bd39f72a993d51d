#include "heliostat/node/gpu_access/gpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/node/device/open_driver.h"

namespace heliostat::gpu_access {
namespace {

bool IsNamed(const device::Gpu& gpu, const std::string& name) {
  const device::Identity& identity = gpu.identity();
  // A shorter beginning is more likely a mistake.
  constexpr std::size_t kShortest = 6;
  return name == std::to_string(identity.index) ||
         (name.size() >= kShortest && identity.uuid.compare(0, name.size(), name) == 0);
}

}  // namespace

Result<Gpus> OpenGpus(const Environment& environment) {
  Gpus gpus;
  gpus.driver = device::OpenDriver(environment);
  auto all = gpus.driver->Gpus();
  if (!all) return Propagate(all);
  gpus.all = std::move(*all);
  return gpus;
}

Result<std::vector<device::Gpu*>> Gpus::Select(const std::vector<std::string>& names) const {
  if (all.empty() && !names.empty()) {
    const auto troubles = driver->troubles();
    const std::string why = troubles.empty() ? "the driver lists none" : troubles.front();
    return Fail(ErrorCode::kNotFound, "", fmt::format("no NVIDIA GPU here ({})", why.substr(0, why.find(';'))),
                "heliostat doctor says more");
  }
  std::vector<device::Gpu*> chosen;
  for (const std::string& name : names) {
    std::vector<device::Gpu*> found;
    for (const auto& gpu : all) {
      if (name == "all" || IsNamed(*gpu, name)) found.push_back(gpu.get());
    }
    if (found.empty() || (found.size() > 1 && name != "all")) {
      std::vector<std::string> there;
      for (const auto& gpu : all) there.push_back(fmt::format("{} ({})", gpu->identity().index, gpu->identity().uuid));
      const std::string allowed = fmt::format("all, or one of {}", fmt::join(there, ", "));
      return Fail(ErrorCode::kInvalidArgument, fmt::format("GPU '{}'", Printable(name, 60)),
                  found.empty() ? "is not on this machine" : "matches several GPUs", allowed);
    }
    for (device::Gpu* gpu : found) {
      if (std::find(chosen.begin(), chosen.end(), gpu) == chosen.end()) chosen.push_back(gpu);
    }
  }
  return chosen;
}

}  // namespace heliostat::gpu_access
