
#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/console/gpu_list.h"

namespace heliostat::cli {

Command InstallDeviceList(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer(R"(Reading needs no privilege. HELIOSTAT_NVML=PATH loads another library instead of libnvidia-ml.so.1.

Example: heliostat device list --json)");
  return []() -> Result<Output> {
    const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
    if (!gpus) return Propagate(gpus);
    console::TextAndJson told = console::List(*gpus);
    return Output{std::move(told.text), std::move(told.json)};
  };
}

}  // namespace heliostat::cli
