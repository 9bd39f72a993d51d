#include <fmt/format.h>

#include <memory>

#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

std::string TextOf(const device::Setting& setting) {
  return fmt::format("{} {}", device::NameOf(setting.knob), setting.Text());
}

std::string IndexOf(const gpu_access::Gpus& gpus, const std::string& uuid) {
  for (const auto& gpu : gpus.all) {
    if (gpu->identity().uuid == uuid) return std::to_string(gpu->identity().index);
  }
  return uuid;
}

Result<Output> List(bool all) {
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto control = gpu_access::OpenControl(ProcessEnvironment(), *gpus);
  if (!control) return Propagate(control);
  const auto leases = (*control)->Leases(all);
  if (!leases) return Propagate(leases);
  report::HtmlTable table{
      .header = {"lease", "GPU", "wanted", "then back to", "state", "user", "process", "job", "ends in"},
      .rows = {},
      .text_columns = 8};
  for (const lease::LeaseSummary& lease : *leases) {
    table.rows.push_back({lease.id, IndexOf(*gpus, lease.gpu), TextOf(lease.wanted), TextOf(lease.previous),
                          std::string(lease::NameOf(lease.state)), lease.user,
                          lease.pid ? std::to_string(*lease.pid) : "", lease.job, report::LengthText(lease.left)});
  }
  Output output;
  output.text = table.rows.empty() ? "no leases\n" : report::TextOf(table);
  output.json.Set("by", (*control)->name()).Set("leases", lease::Describe(*leases));
  return output;
}

}  // namespace

Command InstallDeviceLeases(const Syntax& syntax, Options& /*options*/) {
  auto all = std::make_shared<bool>(false);
  syntax.AddFlag("--all", *all, "List the leases of all users, not only your own");
  syntax.Footer("Example: heliostat device leases --all");
  return [all] { return List(*all); };
}

}  // namespace heliostat::cli
