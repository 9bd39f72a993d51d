#include <fmt/format.h>

#include <memory>

#include "heliostat/cli/command.h"
#include "heliostat/console/control.h"
#include "heliostat/core/time.h"
#include "heliostat/report/terminal.h"

namespace heliostat::cli {
namespace {

using console::TextAt;

std::string SettingText(const io::Json& lease, std::string_view key) {
  const auto setting = console::SettingAt(lease, key);
  return setting ? fmt::format("{} {}", device::NameOf(setting->knob), setting->Text()) : "?";
}

std::string IndexOf(const console::Gpus& gpus, const std::string& uuid) {
  for (const auto& gpu : gpus.all) {
    if (gpu->identity().uuid == uuid) return std::to_string(gpu->identity().index);
  }
  return uuid;
}

Result<Output> List(bool all) {
  const auto gpus = console::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto control = console::OpenControl(ProcessEnvironment(), *gpus);
  if (!control) return Propagate(control);
  const auto leases = (*control)->Leases(all);
  if (!leases) return Propagate(leases);
  const auto rows = leases->Elements();
  if (!rows) return Propagate(rows);
  report::Table table{
      .header = {"lease", "GPU", "wanted", "then back to", "state", "user", "process", "job", "ends in"},
      .rows = {},
      .text_columns = 8};
  for (const io::Json& lease : **rows) {
    const io::Json* const owner = lease.Find("owner");
    const io::Json* const left = lease.Find("expires_in_s");
    const auto owners = [&](std::string_view key) { return owner == nullptr ? std::string() : TextAt(*owner, key); };
    table.rows.push_back({TextAt(lease, "id"), IndexOf(*gpus, TextAt(lease, "gpu")), SettingText(lease, "wanted"),
                          SettingText(lease, "previous"), TextAt(lease, "state"), owners("user"), owners("pid"),
                          owners("job"), left == nullptr ? "" : FormatDuration(Duration(left->Integer().value_or(0)))});
  }
  Output output;
  output.text = table.rows.empty() ? "no leases\n" : report::TextOf(table);
  output.json.Set("by", (*control)->name()).Set("leases", *leases);
  return output;
}

}  // namespace

Command InstallDeviceLeases(const Syntax& syntax, Options& /*options*/) {
  auto all = std::make_shared<bool>(false);
  syntax.AddFlag("--all", *all, "Everybody's, not only your own");
  syntax.Footer("Example: heliostat device leases --all");
  return [all] { return List(*all); };
}

}  // namespace heliostat::cli
