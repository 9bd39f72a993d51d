#include "heliostat/model/profile/library.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "heliostat/base/core/check.h"
#include "heliostat/model/profile/carry_over.h"
#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/model/profile/library_tables.h"

namespace heliostat::profile {
namespace {

// Rounded to six digits, like a measurement.
double Rounded(double value) {
  if (value <= 0.0) return 0.0;
  const double unit = std::pow(10.0, 5.0 - std::floor(std::log10(value)));
  return std::round(value * unit) / unit;
}

// `count` whole values from low to high; for one value, the highest.
std::vector<double> Spread(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const double share = count == 1 ? 1.0 : static_cast<double>(i) / (count - 1);
    const double value = std::round(low + share * (high - low));
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

PowerCurve ClockCurve(const GpuFacts& gpu, double top_w) {
  return {gpu.static_share * top_w, (1.0 - gpu.static_share) * top_w, gpu.exponent};
}

struct Rate {
  double slowdown = 1.0;  // time relative to the top setting
  double watts = 0.0;
};

TrainingCurves CurvesFor(const GpuFacts& gpu, const TrainingFacts& facts, double fixed_time) {
  TrainingCurves curves{ClockCurve(gpu, facts.watts), {fixed_time, 1.0 - fixed_time}, {}, facts.samples_per_s};
  // The power of a model that waits for its input does not depend on the clock.
  if (fixed_time >= 1.0) curves.clock = {facts.watts, 0.0, 1.0};
  const DrawCurve usual{0.0, 1.0, curves.clock.At(gpu.lowest_mhz / gpu.highest_mhz), facts.watts};
  curves.limit = facts.limit.value_or(LimitCurve{usual, curves.clock, curves.time});
  return curves;
}

std::vector<double> Settings(const GpuFacts& gpu, Knob knob, int steps) {
  return knob == Knob::kPowerLimit ? Spread(gpu.lowest_limit_w, gpu.highest_limit_w, steps)
                                   : Spread(gpu.lowest_mhz, gpu.highest_mhz, steps);
}

Rate RateAt(const GpuFacts& gpu, const TrainingCurves& curves, Knob knob, double setting) {
  if (knob == Knob::kPowerLimit) return {curves.limit.TimeAt(setting), curves.limit.WattsAt(setting)};
  const double x = setting / gpu.highest_mhz;
  return {curves.time.At(x), curves.clock.At(x)};
}

scenario::GpuSetting KnobAt(Knob kind, double setting) {
  scenario::GpuSetting knob;
  (kind == Knob::kPowerLimit ? knob.power_limit_w : knob.core_mhz) = setting;
  return knob;
}

// Error bars for cautious points. Entries fitted to measurements over the whole range need none.
double BarOf(double error, Origin origin, Margin margin) {
  return margin == Margin::kErrorBar && origin != Origin::kMeasured ? error : 0.0;
}

// Raised by the bar, at most to the highest limit of the GPU.
double RaisedWatts(double watts, double bar, const GpuFacts& gpu) {
  return std::max(std::min(watts, gpu.highest_limit_w), std::min(watts * (1.0 + bar), gpu.highest_limit_w));
}

// One batch on one GPU at the share x of its highest clock.
struct Served {
  double ms = 0.0;
  double watts = 0.0;
};

Served ServeBatch(const InferenceModelFacts& model, const InferenceFacts& facts, const GpuFacts& gpu, int batch,
                  double x) {
  const TimeCurve time{model.fixed_time, 1.0 - model.fixed_time};
  const double start = facts.start_ms * (model.start_is_host ? 1.0 : time.At(x));
  const double work = facts.per_item_ms * batch * time.At(x);
  const double p = model.overlap;
  const double ms = std::pow(std::pow(start, p) + std::pow(work, p), 1.0 / p);
  const PowerCurve full = ClockCurve(gpu, facts.full_w);
  // The base is mostly clocks and memory, so it follows the clock like the power of the whole GPU.
  const double base = facts.base_w * full.At(x) / full.top_w();
  return {ms, base + (full.At(x) - base) * std::min(work / ms, 1.0)};
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

constexpr int kLargestBatch = 256;

}  // namespace

std::vector<std::string_view> LibraryGpus() {
  std::vector<std::string_view> names;
  for (const GpuFacts& gpu : AllGpuFacts()) names.push_back(gpu.name);
  return names;
}

std::vector<std::string_view> TrainingModels() {
  std::vector<std::string_view> names;
  for (const TrainingModelFacts& model : AllTrainingModels()) names.push_back(model.name);
  return names;
}

std::vector<std::string_view> InferenceModels() {
  std::vector<std::string_view> names;
  for (const InferenceModelFacts& model : AllInferenceModels()) names.push_back(model.name);
  return names;
}

std::vector<LibraryEntry> LibraryEntries() {
  std::vector<LibraryEntry> entries;
  for (const GpuFacts& gpu : AllGpuFacts()) {
    for (const TrainingModelFacts& model : AllTrainingModels()) {
      const TrainingFacts facts = TrainingFactsFor(model, gpu);
      entries.push_back({model.name, gpu.name, true, facts.origin, facts.samples_per_s, facts.watts, facts.speed_error,
                         facts.power_error, facts.source});
    }
    for (const InferenceModelFacts& model : AllInferenceModels()) {
      const InferenceFacts facts = InferenceFactsFor(model, gpu);
      const Served served = ServeBatch(model, facts, gpu, kLargestBatch, 1.0);
      entries.push_back({model.name, gpu.name, false, facts.origin, kLargestBatch * 1e3 / served.ms,
                         std::min(served.watts, gpu.highest_limit_w), facts.latency_error, facts.power_error,
                         facts.source});
    }
  }
  return entries;
}

std::optional<TrainingCurves> CurvesOf(std::string_view model, std::string_view gpu) {
  const auto found = std::ranges::find(AllTrainingModels(), model, &TrainingModelFacts::name);
  const GpuFacts* const hardware = FindGpuFacts(gpu);
  if (found == AllTrainingModels().end() || hardware == nullptr) return std::nullopt;
  return CurvesFor(*hardware, TrainingFactsFor(*found, *hardware), found->fixed_time);
}

std::vector<scenario::TrainingPoint> TrainingPoints(std::string_view model, std::string_view gpu, Knob knob, int steps,
                                                    std::span<const int> workers, Margin margin) {
  const auto found = std::ranges::find(AllTrainingModels(), model, &TrainingModelFacts::name);
  const GpuFacts* const hardware = FindGpuFacts(gpu);
  if (found == AllTrainingModels().end() || hardware == nullptr) return {};
  const TrainingFacts facts = TrainingFactsFor(*found, *hardware);
  const TrainingCurves curves = CurvesFor(*hardware, facts, found->fixed_time);
  const ScalingCurve scaling{found->kappa};
  std::vector<scenario::TrainingPoint> points;
  for (const int count : workers) {
    for (const double setting : Settings(*hardware, knob, steps)) {
      const Rate rate = RateAt(*hardware, curves, knob, setting);
      const double speed = facts.samples_per_s * scaling.At(count) / rate.slowdown;
      const double watts = RaisedWatts(rate.watts, BarOf(facts.power_error, facts.origin, margin), *hardware);
      points.push_back({.knob = KnobAt(knob, setting),
                        .workers = count,
                        .samples_per_s = Rounded(speed / (1.0 + BarOf(facts.speed_error, facts.origin, margin))),
                        .power = Watts{Rounded(watts * count)}});
    }
  }
  return points;
}

std::vector<scenario::InferencePoint> InferencePoints(std::string_view model, std::string_view gpu, int steps,
                                                      std::span<const int> batches, Margin margin) {
  const auto found = std::ranges::find(AllInferenceModels(), model, &InferenceModelFacts::name);
  const GpuFacts* const hardware = FindGpuFacts(gpu);
  if (found == AllInferenceModels().end() || hardware == nullptr) return {};
  const InferenceFacts facts = InferenceFactsFor(*found, *hardware);
  std::vector<scenario::InferencePoint> points;
  for (const double mhz : Spread(hardware->lowest_mhz, hardware->highest_mhz, steps)) {
    for (const int batch : batches) {
      const Served served = ServeBatch(*found, facts, *hardware, batch, mhz / hardware->highest_mhz);
      const double ms = Rounded(served.ms * (1.0 + BarOf(facts.latency_error, facts.origin, margin)));
      const double watts = RaisedWatts(served.watts, BarOf(facts.power_error, facts.origin, margin), *hardware);
      points.push_back({.knob = KnobAt(Knob::kCoreClock, mhz),
                        .batch = batch,
                        .latency = Seconds{ms / 1e3},
                        .requests_per_s = Rounded(batch * 1e3 / ms),
                        .power = Watts{Rounded(watts)}});
    }
  }
  return points;
}

scenario::Group GroupOf(std::string_view gpu, int nodes, int gpus_per_node) {
  const GpuFacts* const hardware = FindGpuFacts(gpu);
  Check(hardware != nullptr, "the library does not have this GPU");
  return {.name = LowerCase(gpu),
          .gpu = std::string(gpu),
          .nodes = nodes,
          .gpus_per_node = gpus_per_node,
          .gpu_idle = Watts{hardware->idle_w},
          .node_base = Watts{hardware->node_base_w},
          .node_sleep = Watts{hardware->node_sleep_w},
          .wake_time = std::chrono::minutes(hardware->wake_minutes),
          .wake_energy = Joules{hardware->wake_wh * 3600.0}};
}

}  // namespace heliostat::profile
