#include "heliostat/node/training_run/program_gpus.h"

#include "heliostat/base/core/split.h"

namespace heliostat::training_run {

std::vector<std::string> GpuNames(const std::vector<std::string>& given, const Environment& environment) {
  if (!given.empty()) return given;
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  auto named = SplitAtCommas(visible.value_or(""));
  std::erase(named, "");
  return named.empty() ? std::vector<std::string>{"all"} : named;
}

Result<std::vector<device::Gpu*>> ChooseGpus(const gpu_access::Gpus& all, const std::vector<std::string>& names) {
  if (!all.all.empty()) return all.Select(names);
  return Fail(ErrorCode::kUnavailable, "GPU", "this machine has none to measure",
              all.driver->troubles().empty() ? "" : all.driver->troubles().front());
}

}  // namespace heliostat::training_run
