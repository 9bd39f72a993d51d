#include "fakes/nvml/show.h"

#include <fmt/format.h>

#include <string>

#include "fakes/nvml/fault.h"
#include "fakes/nvml/physics.h"

namespace heliostat::nvml_double {
namespace {

using io::Json;

Json ClocksOf(const device::Setting& lock) {
  if (lock.is_default) return nullptr;
  return Json::Object{{"low_mhz", lock.low}, {"high_mhz", lock.high}};
}

Json FaultsOf(const Faults& faults) {
  Json::Array texts;
  const auto add = [&texts](bool is_on, std::string text) {
    if (is_on) texts.emplace_back(std::move(text));
  };
  add(faults.refuses_writes, "no-permission");
  add(faults.is_lost, "lost");
  add(faults.ignores_writes, "ignore");
  add(faults.has_no_counter, "no-energy-counter");
  add(faults.is_mig, "mig");
  add(faults.clamp_high_mw > 0, fmt::format("clamp {}:{} mW", faults.clamp_low_mw, faults.clamp_high_mw));
  add(faults.round_mw > 1, fmt::format("round {} mW", faults.round_mw));
  add(faults.out_of_band_mw > 0, fmt::format("out-of-band {} mW", faults.out_of_band_mw));
  for (int i = 0; i < kFunctions; ++i) {
    const auto function = static_cast<Function>(i);
    add(Hangs(faults, function, RealSeconds()), fmt::format("hang {}", NameOf(function)));
    add((faults.unsupported & BitOf(function)) != 0, fmt::format("unsupported {}", NameOf(function)));
  }
  return texts;
}

Json LoadsOf(const GpuState& gpu, const Flow& flow) {
  Json::Array loads;
  for (std::size_t i = 0; i < gpu.loads.size(); ++i) {
    const RunningLoad& load = gpu.loads[i];
    if (!load.is_used) continue;
    loads.emplace_back(Json::Object{{"pid", load.pid == 0 ? Json() : Json(load.pid)},
                                    {"model", load.model.data()},
                                    {"duty", load.load.duty},
                                    {"steps", load.steps},
                                    {"goal", load.goal},
                                    {"steps_per_s", flow.samples_per_s[i] * load.pace / load.samples_per_step}});
  }
  return loads;
}

Json RecordOf(const GpuState& gpu) {
  Json::Array writes;
  const std::uint64_t first = gpu.recorded < kMostWrites ? 0 : gpu.recorded - kMostWrites;
  for (std::uint64_t i = first; i < gpu.recorded; ++i) {
    const Write& write = gpu.record[i % gpu.record.size()];
    writes.emplace_back(Json::Object{{"function", NameOf(write.function)},
                                     {"low", write.low},
                                     {"high", write.high},
                                     {"pid", write.pid},
                                     {"result", write.result},
                                     {"at_s", write.at_s}});
  }
  return writes;
}

Json Describe(const GpuState& gpu, int index, double grace_s) {
  const Flow flow = FlowOf(gpu, grace_s);
  Json writes = Json::Object{};
  for (const device::Knob knob : device::kKnobs) {
    writes.Set(std::string(device::NameOf(knob)),
               static_cast<std::int64_t>(gpu.writes[static_cast<std::size_t>(knob)]));
  }
  return Json::Object{{"index", index},
                      {"gpu", gpu.gpu.data()},
                      {"name", gpu.card().name},
                      {"uuid", gpu.uuid.data()},
                      {"power_limit_w", gpu.At(device::Knob::kPowerLimit).limit().value},
                      {"enforced_limit_w", static_cast<double>(EnforcedMilliwatts(gpu)) / 1e3},
                      {"core_clock", ClocksOf(gpu.At(device::Knob::kCoreClock))},
                      {"memory_clock", ClocksOf(gpu.At(device::Knob::kMemoryClock))},
                      {"power_w", gpu.power_w},
                      {"energy_j", gpu.energy_j},
                      {"temperature_c", gpu.temperature_c},
                      {"core_mhz", flow.core_mhz},
                      {"utilisation", flow.duty},
                      {"power_capped", flow.is_power_capped},
                      {"samples", gpu.samples},
                      {"faults", FaultsOf(gpu.faults)},
                      {"loads", LoadsOf(gpu, flow)},
                      {"writes", std::move(writes)},
                      {"last_writes", RecordOf(gpu)}};
}

}  // namespace

io::Json Describe(State& state) {
  Json::Array gpus;
  for (int i = 0; i < state.gpus(); ++i) gpus.push_back(Describe(state.Look(i), i, state.grace_s()));
  return Json::Object{{"time_scale", state.time_scale()},
                      {"root_only", state.is_root_only()},
                      {"generation", static_cast<std::int64_t>(state.generation())},
                      {"now_s", state.Now()},
                      {"gpus", std::move(gpus)}};
}

}  // namespace heliostat::nvml_double
