
#include "heliostat/access/gpus.h"
#include "heliostat/cli/command.h"
#include "heliostat/console/gpu_list.h"

namespace heliostat::cli {

Command InstallDeviceList(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer(R"(Reading needs no privilege. HELIOSTAT_NVML=PATH names another library than libnvidia-ml.so.1.

Example: heliostat device list --json)");
  return []() -> Result<Output> {
    const auto gpus = access::OpenGpus(ProcessEnvironment());
    if (!gpus) return Propagate(gpus);
    console::Told told = console::List(*gpus);
    return Output{std::move(told.text), std::move(told.json)};
  };
}

}  // namespace heliostat::cli
