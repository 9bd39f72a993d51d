#include "heliostat/node/device/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/base/core/made_up.h"

namespace heliostat::device {
namespace {

template <typename T>
io::Json OrNull(const std::optional<T>& value) {
  return value ? io::Json(*value) : io::Json();
}
io::Json OrNull(const std::optional<Watts>& value) { return value ? io::Json(value->value) : io::Json(); }
io::Json OrNull(const std::optional<std::uint64_t>& value) {
  return value ? io::Json(static_cast<std::int64_t>(*value)) : io::Json();
}

Result<std::int64_t> ReadBound(const io::Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Integer();
}

}  // namespace

io::Json Describe(const Setting& setting) {
  io::Json json;
  json.Set("knob", NameOf(setting.knob)).Set("default", setting.is_default);
  if (setting.is_default) return json;
  if (setting.knob == Knob::kPowerLimit) return json.Set("power_limit_w", setting.limit().value);
  return json.Set("low_mhz", setting.low).Set("high_mhz", setting.high);
}

Result<Setting> ReadSetting(const io::Json& json) {
  const auto name = json.Get("knob");
  if (!name) return Propagate(name);
  const auto text = (*name)->Text();
  if (!text) return Propagate(text);
  const auto knob = KnobOf(*text);
  if (!knob)
    return Fail(ErrorCode::kCorrupt, (*name)->where(), fmt::format("'{}' is not a knob", Printable(*text, 40)));
  const auto is_default = json.Get("default");
  if (!is_default) return Propagate(is_default);
  const auto value = (*is_default)->Boolean();
  if (!value) return Propagate(value);
  if (*value) return Setting::Default(*knob);
  if (*knob == Knob::kPowerLimit) {
    const auto limit = json.Get("power_limit_w");
    if (!limit) return Propagate(limit);
    const auto watts = (*limit)->Number();
    if (!watts) return Propagate(watts);
    if (!std::isfinite(*watts) || std::abs(*watts) > 1e6) {
      return Fail(ErrorCode::kCorrupt, (*limit)->where(), fmt::format("{} W is out of range", *watts), "-1e6 to 1e6 W");
    }
    return Setting::PowerLimit(Watts{*watts});
  }
  const auto low = ReadBound(json, "low_mhz");
  const auto high = ReadBound(json, "high_mhz");
  if (!low) return Propagate(low);
  if (!high) return Propagate(high);
  return Setting{*knob, false, *low, *high};
}

io::Json Describe(const Identity& identity) {
  io::Json json;
  json.Set("index", identity.index).Set("uuid", identity.uuid).Set("name", identity.name).Set("pci", identity.pci);
  return IsMadeUp(identity.name) ? json.Set("made_up", true) : json;
}

io::Json Describe(const Abilities& abilities) {
  io::Json limits;
  if (abilities.has_power_limit) {
    limits.Set("lowest", abilities.lowest_limit.value).Set("default", abilities.default_limit.value);
    limits.Set("highest", abilities.highest_limit.value);
  }
  io::Json core;
  if (!abilities.core_clocks_mhz.empty()) {
    core.Set("lowest", abilities.core_clocks_mhz.front()).Set("highest", abilities.core_clocks_mhz.back());
    core.Set("count", abilities.core_clocks_mhz.size());
  }
  io::Json memory{io::Json::Array{}};
  for (const int mhz : abilities.memory_clocks_mhz) memory.Append(mhz);
  io::Json json;
  json.Set("power_limit_w", std::move(limits)).Set("core_clocks_mhz", std::move(core));
  json.Set("memory_clocks_mhz", std::move(memory)).Set("can_lock_core", abilities.has_core_lock);
  return json.Set("can_lock_memory", abilities.has_memory_lock).Set("has_energy_counter", abilities.has_energy_counter);
}

io::Json Describe(const Reading& reading) {
  io::Json json;
  json.Set("power_w", OrNull(reading.power)).Set("enforced_limit_w", OrNull(reading.enforced_limit));
  json.Set("core_mhz", OrNull(reading.core_mhz)).Set("memory_mhz", OrNull(reading.memory_mhz));
  json.Set("utilisation", OrNull(reading.utilisation)).Set("temperature_c", OrNull(reading.temperature_c));
  return json.Set("throttle", ThrottleText(reading.throttle));
}

io::Json Describe(const Details& details) {
  io::Json processes{io::Json::Array{}};
  for (const GpuProcess& process : details.processes) {
    io::Json row;
    processes.Append(row.Set("pid", process.pid).Set("memory_bytes", static_cast<std::int64_t>(process.memory_bytes)));
  }
  io::Json json;
  json.Set("persistence", OrNull(details.is_persistent)).Set("mig", OrNull(details.is_mig));
  json.Set("memory_used_bytes", OrNull(details.memory_used_bytes));
  json.Set("memory_total_bytes", OrNull(details.memory_total_bytes));
  return json.Set("processes", std::move(processes));
}

io::Json Describe(const Applied& applied) {
  io::Json json;
  json.Set("asked", Describe(applied.asked)).Set("stands", Describe(applied.stands));
  return json.Set("outcome", NameOf(applied.outcome));
}

Result<Applied> ReadApplied(const io::Json& json) {
  Applied applied;
  for (const auto& [key, setting] : {std::pair("asked", &applied.asked), std::pair("stands", &applied.stands)}) {
    const auto member = json.Get(key);
    if (!member) return Propagate(member);
    const auto read = ReadSetting(**member);
    if (!read) return Propagate(read);
    *setting = *read;
  }
  const auto member = json.Get("outcome");
  if (!member) return Propagate(member);
  const auto name = (*member)->Text();
  if (!name) return Propagate(name);
  constexpr std::array kOutcomes{SetOutcome::kAsAsked, SetOutcome::kClamped, SetOutcome::kIgnored,
                                 SetOutcome::kUnverified};
  const auto found = std::ranges::find(kOutcomes, *name, [](SetOutcome outcome) { return NameOf(outcome); });
  if (found == kOutcomes.end()) {
    return Fail(ErrorCode::kCorrupt, (*member)->where(), fmt::format("'{}' is not an outcome", Printable(*name, 40)));
  }
  applied.outcome = *found;
  return applied;
}

}  // namespace heliostat::device
