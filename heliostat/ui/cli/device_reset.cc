#include <fmt/format.h>

#include <memory>

#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

Result<Output> Reset(const std::vector<std::string>& names) {
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto chosen = gpus->Select(names);
  if (!chosen) return Propagate(chosen);
  const auto control = gpu_access::OpenControl(ProcessEnvironment(), *gpus);
  if (!control) return Propagate(control);
  Output output;
  io::Json rows{io::Json::Array{}};
  for (device::Gpu* gpu : *chosen) {
    const auto ended = (*control)->Reset(*gpu);
    if (!ended) return Propagate(ended);
    const auto limit = gpu->Stands(Knob::kPowerLimit);
    output.text += fmt::format("GPU {} ({}): {}; power limit {}\n", gpu->identity().index, gpu->identity().name,
                               *ended == 0   ? "no lease to end"
                               : *ended == 1 ? "1 lease ended"
                                             : fmt::format("{} leases ended", *ended),
                               limit ? limit->Text() : "unknown");
    io::Json row;
    row.Set("index", gpu->identity().index).Set("uuid", gpu->identity().uuid).Set("released", *ended);
    rows.Append(row.Set("power_limit_w", limit ? io::Json(limit->limit().value) : io::Json()));
  }
  output.json.Set("by", (*control)->name()).Set("gpus", std::move(rows));
  return output;
}

}  // namespace

Command InstallDeviceReset(const Syntax& syntax, Options& /*options*/) {
  auto names = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"all"});
  syntax.AddOption("GPU", *names, "GPUs: indices, UUIDs or their first characters, or all").ShowDefault();
  syntax.Footer(
      R"(Ends your leases; as root, the leases of all users. Each knob returns to its setting before its first lease.
Settings that were made without a lease do not change.

Example: heliostat device reset 0)");
  return [names] { return Reset(*names); };
}

}  // namespace heliostat::cli
