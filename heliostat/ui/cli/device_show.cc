#include <memory>

#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/console/gpu_list.h"

namespace heliostat::cli {
namespace {

Result<Output> Show(const std::string& name) {
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto chosen = gpus->Select({name});
  if (!chosen) return Propagate(chosen);
  Output output;
  io::Json rows{io::Json::Array{}};
  const auto leases = gpu_access::AgentLeases(ProcessEnvironment());
  for (device::Gpu* gpu : *chosen) {
    auto told = console::Show(*gpu, leases);
    if (!told) return Propagate(told);
    output.text += told->text;
    rows.Append(std::move(told->json));
  }
  // One GPU is an object in JSON, "all" is a list.
  if (name == "all") {
    output.json = std::move(rows);
  } else {
    output.json = (*rows.Elements())->front();
  }
  return output;
}

}  // namespace

Command InstallDeviceShow(const Syntax& syntax, Options& /*options*/) {
  auto name = std::make_shared<std::string>("0");
  syntax.AddOption("GPU", *name, "GPU: its index, its UUID or the first characters of it, or all").ShowDefault();
  syntax.Footer("Example: heliostat device show 0");
  return [name] { return Show(*name); };
}

}  // namespace heliostat::cli
