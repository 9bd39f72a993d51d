#include <fmt/format.h>

#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

Result<Output> RestoreAll() {
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto control = gpu_access::OpenControl(ProcessEnvironment(), *gpus);
  if (!control) return Propagate(control);
  // An agent does it by itself. Without one, whoever opens the journals does.
  const auto left = (*control)->Leases(true);
  if (!left) return Propagate(left);
  Output output;
  output.text = fmt::format("{} leases are in force\n", left->size());
  output.json.Set("by", (*control)->name()).Set("leases", left->size());
  return output;
}

}  // namespace

Command InstallDeviceRestore(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer(
      "A lease ends with its program. The agent notices that at once; without an agent this command, or the next "
      "lease,\n"
      "puts the setting back. A guard of `heliostat run` runs it when Heliostat is killed.\n\nExample: heliostat "
      "device restore");
  return [] { return RestoreAll(); };
}

}  // namespace heliostat::cli
