#include "heliostat/ui/console/gpu_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/made_up.h"
#include "heliostat/node/device/describe.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::console {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

void Merge(io::Json& into, const io::Json& from) {
  const auto members = from.Members();
  if (!members) return;
  for (const auto& [key, value] : **members) into.Set(key, value);
}

std::string LimitText(const io::Json& summary) {
  const io::Json* const limit = summary.Find("power_limit_w");
  const io::Json* const enforced = summary.Find("enforced_limit_w");
  if (limit == nullptr) return "–";
  const bool is_lower = enforced != nullptr && *enforced->Number() < *limit->Number() - 0.5;
  return is_lower ? fmt::format("{} W ({} W enforced)", *limit->Number(), *enforced->Number())
                  : fmt::format("{} W", *limit->Number());
}

std::string UtilisationText(const io::Json& summary) {
  const io::Json* const share = summary.Find("utilisation");
  return share == nullptr ? "–" : fmt::format("{:.0f} %", 100.0 * *share->Number());
}

std::string RangeText(const device::Abilities& abilities) {
  if (!abilities.has_power_limit) return "cannot be set on this GPU";
  return fmt::format("{} to {} W, default {} W", abilities.lowest_limit.value, abilities.highest_limit.value,
                     abilities.default_limit.value);
}

std::string ClocksText(const std::vector<int>& clocks, bool can_lock) {
  if (clocks.empty()) return "unknown";
  return fmt::format("{} to {} MHz in {} steps{}", clocks.front(), clocks.back(), clocks.size(),
                     can_lock ? "" : ", cannot be locked");
}

std::string MemoryText(const device::Details& details) {
  if (!details.memory_total_bytes) return "–";
  return fmt::format("{:.1f} of {:.1f} GiB in use", static_cast<double>(details.memory_used_bytes.value_or(0)) / kGib,
                     static_cast<double>(*details.memory_total_bytes) / kGib);
}

std::string YesNo(const std::optional<bool>& value) { return !value ? "–" : *value ? "on" : "off"; }

std::string TextAt(const io::Json& json, std::string_view key) {
  const io::Json* const found = json.Find(key);
  return found == nullptr ? std::string() : found->Text().value_or("");
}

std::string LeaseText(const std::vector<lease::LeaseSummary>& leases) {
  if (leases.empty()) return "none";
  std::string text;
  for (const lease::LeaseSummary& lease : leases) {
    fmt::format_to(std::back_inserter(text), "{}{} of {}: {} {}, {}", text.empty() ? "" : "\n                ",
                   lease.id, lease.user, device::NameOf(lease.wanted.knob), lease.wanted.Text(),
                   lease::NameOf(lease.state));
  }
  return text;
}

}  // namespace

io::Json Summary(device::Gpu& gpu) {
  io::Json json = device::Describe(gpu.identity());
  const auto reading = gpu.Read();
  if (!reading) return json.Set("error", reading.error().Line());
  const auto limit = gpu.Stands(Knob::kPowerLimit);
  json.Set("power_limit_w", limit ? io::Json(limit->limit().value) : io::Json());
  Merge(json, device::Describe(*reading));
  return json;
}

std::string CellOf(const io::Json& summary, std::string_view key, std::string_view unit) {
  const io::Json* const found = summary.Find(key);
  return found == nullptr ? "–" : fmt::format("{:.0f} {}", *found->Number(), unit);
}

TextAndJson List(const gpu_access::Gpus& gpus) {
  TextAndJson told;
  told.json.Set("driver", gpus.driver->name()).Set("driver_version", gpus.driver->version());
  io::Json rows{io::Json::Array{}};
  report::HtmlTable table{.header = {"GPU", "name", "power", "limit", "core", "memory", "busy", "temp", "held back by"},
                          .rows = {},
                          .text_columns = 2};
  for (const auto& gpu : gpus.all) {
    io::Json summary = Summary(*gpu);
    const std::string error = TextAt(summary, "error");
    table.rows.push_back({std::to_string(gpu->identity().index), gpu->identity().name, CellOf(summary, "power_w", "W"),
                          error.empty() ? LimitText(summary) : "–", CellOf(summary, "core_mhz", "MHz"),
                          CellOf(summary, "memory_mhz", "MHz"), UtilisationText(summary),
                          CellOf(summary, "temperature_c", "°C"), error.empty() ? TextAt(summary, "throttle") : error});
    rows.Append(std::move(summary));
  }
  told.json.Set("gpus", std::move(rows));
  io::Json troubles{io::Json::Array{}};
  for (const std::string& trouble : gpus.driver->troubles()) troubles.Append(trouble);
  told.json.Set("troubles", std::move(troubles));
  if (gpus.all.empty()) {
    told.text = "no GPU on this machine\n";
  } else {
    told.text = fmt::format("{} {}\n{}", gpus.driver->name(), gpus.driver->version(), report::TextOf(table));
    if (IsMadeUp(gpus.all.front()->identity().name)) {
      told.text += "These GPUs are made up: their power, clocks and energy are simulated.\n";
    }
  }
  for (const std::string& trouble : gpus.driver->troubles()) told.text += fmt::format("note: {}\n", trouble);
  return told;
}

Result<TextAndJson> Show(device::Gpu& gpu, const std::optional<std::vector<lease::LeaseSummary>>& leases) {
  const auto details = gpu.Inspect();
  if (!details) return Propagate(details);
  TextAndJson told{"", Summary(gpu)};
  const device::Abilities& abilities = gpu.abilities();
  const auto energy = gpu.Energy();
  told.json.Set("energy_j", energy ? io::Json(energy->value) : io::Json());
  told.json.Set("can", device::Describe(abilities));
  Merge(told.json, device::Describe(*details));
  std::vector<lease::LeaseSummary> here;
  if (leases) {
    std::ranges::copy_if(*leases, std::back_inserter(here),
                         [&](const lease::LeaseSummary& lease) { return lease.gpu == gpu.identity().uuid; });
  }
  told.json.Set("leases", leases ? lease::Describe(here) : io::Json());

  const auto line = [&](std::string_view name, const std::string& value) {
    fmt::format_to(std::back_inserter(told.text), "  {:<13} {}\n", name, value);
  };
  const device::Identity& identity = gpu.identity();
  told.text = fmt::format("GPU {}: {}\n", identity.index, identity.name);
  line("UUID", identity.uuid);
  line("PCI", identity.pci);
  line("power", CellOf(told.json, "power_w", "W"));
  line("power limit", fmt::format("{}; {}", LimitText(told.json), RangeText(abilities)));
  line("energy", energy ? fmt::format("{:.3f} kWh since the driver was loaded", InKilowattHours(*energy))
                        : "no counter; integrated from power instead");
  line("core clock", fmt::format("{}; {}", CellOf(told.json, "core_mhz", "MHz"),
                                 ClocksText(abilities.core_clocks_mhz, abilities.has_core_lock)));
  line("memory clock", fmt::format("{}; {}", CellOf(told.json, "memory_mhz", "MHz"),
                                   ClocksText(abilities.memory_clocks_mhz, abilities.has_memory_lock)));
  line("busy", UtilisationText(told.json));
  line("temperature", CellOf(told.json, "temperature_c", "°C"));
  line("held back by", TextAt(told.json, "throttle").empty() ? "nothing" : TextAt(told.json, "throttle"));
  line("memory", MemoryText(*details));
  line("persistence", YesNo(details->is_persistent));
  line("MIG", YesNo(details->is_mig));
  line("processes", details->processes.empty() ? "none" : "");
  for (const device::GpuProcess& process : details->processes) {
    line("", fmt::format("{} with {:.1f} GiB", process.pid, static_cast<double>(process.memory_bytes) / kGib));
  }
  line("leases", leases ? LeaseText(here) : "no agent runs on this machine");
  return told;
}

}  // namespace heliostat::console
