#include "heliostat/ui/experiments/chase_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/signals/signal/fill.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::experiments {
namespace {

constexpr const char* kGpu = "A40";
constexpr const char* kProfileFile = "gpu/zeus/summary_power_a40.csv";
constexpr const char* kTraceFile = "carbon/chase/carbon_hist.csv";
constexpr const char* kZonesFile = "carbon/electricitymaps/em_2023_2024_lca.csv";
constexpr std::array<const char*, 2> kMoreZones{"PL", "SE"};
constexpr double kStepW = 5.0;
constexpr double kPublishedHighest = 750.0;  // the paper's, and its code's

signal::Signal Filled(signal::Signal signal, std::string name) {
  signal.name = std::move(name);
  signal.series = signal::Fill(signal::Fill(signal.series, signal::FillRule::kYesterday), signal::FillRule::kTypical);
  return signal;
}

Result<std::vector<ChaseWorkload>> ReadWorkloads(const std::string& path) {
  const auto text = io::ReadFile(path);
  if (!text) return Propagate(text);
  const auto rows = profile::ReadMeasurements(*text, path, profile::Format::kZeus);
  if (!rows) return Propagate(rows);
  std::vector<ChaseWorkload> workloads;
  for (const profile::Sweep& sweep : profile::SweepsOf(*rows)) {
    std::vector<level_control::LevelOption> knots;
    for (const profile::Measurement& point : sweep.points) {
      if (point.power) knots.push_back({profile::SettingOf(point.knob), point.per_s, *point.power});
    }
    if (knots.size() < 2) continue;
    workloads.push_back({sweep.workload.model, sweep.workload.batch, EveryFiveWatts(knots)});
  }
  return workloads;
}

Result<signal::Signal> BuiltIn(std::string_view zone, Interval interval, Duration step) {
  synthetic::ZoneRequest request;
  request.zone = zone;
  request.interval = interval;
  request.step = step;
  return synthetic::Generate(request);
}

}  // namespace

std::vector<level_control::LevelOption> EveryFiveWatts(const std::vector<level_control::LevelOption>& knots) {
  std::vector<level_control::LevelOption> options;
  std::size_t next = 1;
  const auto steps = static_cast<int>(std::floor((knots.back().level - knots.front().level) / kStepW + 1e-9));
  for (int i = 0; i <= steps; ++i) {
    const double level = knots.front().level + kStepW * i;
    while (next + 1 < knots.size() && knots[next].level < level) ++next;
    const level_control::LevelOption& a = knots[next - 1];
    const level_control::LevelOption& b = knots[next];
    const double share = (level - a.level) / (b.level - a.level);
    options.push_back({level, a.speed + share * (b.speed - a.speed), a.power + share * (b.power - a.power)});
  }
  return options;
}

Result<ChaseInput> BuiltInChase() {
  ChaseInput input;
  input.gpu = kGpu;
  constexpr std::array<int, 1> kOneWorker{1};
  std::vector<level_control::LevelOption> options;
  for (const scenario::TrainingPoint& point :
       profile::TrainingPoints("resnet50", kGpu, Knob::kPowerLimit, 41, kOneWorker, profile::Margin::kNone)) {
    options.push_back({point.knob.power_limit_w.value_or(0.0), point.samples_per_s, point.power});
  }
  std::ranges::sort(options, {}, &level_control::LevelOption::level);
  input.workloads.push_back({"resnet50", 0, std::move(options)});
  using std::chrono::sys_days;
  using std::chrono::year;
  const Instant autumn = sys_days{year{2022} / 10 / 20};
  auto trace = BuiltIn("thermal-mix", {autumn, autumn + std::chrono::days{4}}, Duration{1800});
  if (!trace) return Propagate(trace);
  input.trace.push_back(Filled(*std::move(trace), "thermal-mix"));
  for (const synthetic::ZoneFacts& zone : synthetic::Zones()) {
    auto signal = BuiltIn(zone.name, {sys_days{year{2023} / 11 / 1}, sys_days{year{2025} / 1 / 1}}, Duration{3600});
    if (!signal) return Propagate(signal);
    input.zones.push_back(Filled(*std::move(signal), std::string(zone.name)));
  }
  input.about =
      "built-in: a curve fitted to ResNet-50 on an A40 and generated carbon intensities, not the published profile and "
      "trace of the data folder";
  return input;
}

Result<ChaseInput> RealChase(const std::string& folder) {
  ChaseInput input;
  input.is_real = true;
  input.gpu = kGpu;
  auto workloads = ReadWorkloads(folder + "/" + kProfileFile);
  if (!workloads) return Propagate(workloads);
  input.workloads = *std::move(workloads);
  const auto trace = signal_files::ReadSignals(folder + "/" + kTraceFile);
  if (!trace) return Propagate(trace);
  input.trace.push_back(Filled(trace->columns[trace->primary].signal, "MISO_MASON_CITY"));
  input.highest = kPublishedHighest;
  const auto zones = signal_files::ReadSignals(folder + "/" + kZonesFile);
  if (!zones) return Propagate(zones);
  for (const signal_files::SignalColumn& column : zones->columns) {
    const std::string& zone = column.signal.meaning.zone;
    input.zones.push_back(Filled(column.signal, zone.empty() ? column.signal.name : zone));
  }
  for (const char* zone : kMoreZones) {
    const auto more =
        signal_files::ReadSignals(fmt::format("{}/carbon/carboncast/{}_lifecycle_emissions.csv", folder, zone));
    if (!more) return Propagate(more);
    const auto column = more->Find("carbon_intensity");
    if (!column) return Propagate(column);
    input.zones.push_back(Filled((*column)->signal, zone));
  }
  input.about =
      "Zeus' traces of power limits on an A40 (straight lines between measured limits, every 5 W), MISO Mason City of "
      "October 2022 as published with Chase, eight zones of Electricity Maps (2024) and two of CarbonCast (2021), life "
      "cycle";
  return input;
}

}  // namespace heliostat::experiments
