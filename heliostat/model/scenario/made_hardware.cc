#include "heliostat/model/scenario/made_hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "heliostat/base/core/check.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

// A synthetic kind of GPU that behaves like a real one.
struct MadeGpu {
  std::string_view name;
  double speed;           // relative to the first kind
  double idle_w;          // idle
  double static_w;        // busy, at the lowest clock
  double dynamic_w;       // in addition at the full clock, for a demanding model
  double clock_exponent;  // exponent of the clock in dynamic power
  double lowest_limit_w;
  double highest_limit_w;
  double lowest_mhz;
  double highest_mhz;
  double node_base_w;
};

// Curves like published sweeps of power limits and clocks. Below half its limit the first kind slows down steeply, the
// second gently; both need the least energy at a setting in between.
constexpr std::array<MadeGpu, 6> kGpus{{
    {"A40", 1.00, 15, 88, 160, 2.2, 100, 300, 600, 1740, 320},
    {"V100", 0.85, 26, 58, 165, 2.3, 100, 250, 705, 1380, 260},
    {"A100", 1.75, 30, 80, 290, 2.6, 150, 400, 705, 1410, 380},
    {"RTX6000", 0.70, 18, 85, 165, 2.6, 100, 260, 705, 1710, 260},
    {"P100", 0.45, 24, 50, 180, 2.1, 125, 250, 645, 1328, 240},
    {"H100", 2.90, 30, 110, 520, 2.4, 200, 700, 795, 1980, 450},
}};

// Time of a step on a GPU at the share x of its full clock: (1 - core_share) + core_share / x.
struct TrainingModel {
  std::string_view name;
  double samples_per_s;  // one worker on the first kind of GPU, no limit
  double core_share;
  double intensity;  // of a GPU's dynamic power
  double scaling;    // n workers are n^scaling times as fast
  double noise;      // relative, of a measured speed
};
// The recommender waits for its input: its speed hardly depends on the limit, and noise makes some points slower with
// more power.
constexpr std::array<TrainingModel, 8> kTrainingModels{{
    {"convnet-large", 330, 0.92, 0.95, 0.90, 0.005},
    {"convnet-small", 11500, 0.75, 0.78, 0.82, 0.01},
    {"speech-rnn", 56, 0.85, 0.55, 0.86, 0.005},
    {"encoder-pretrain", 97, 0.97, 1.00, 0.93, 0.005},
    {"encoder-tune", 400, 0.95, 1.02, 0.91, 0.005},
    {"recommender", 48000, 0.03, 0.03, 0.75, 0.02},
    {"vision-transformer", 210, 0.98, 1.05, 0.96, 0.005},
    {"diffusion", 25, 0.90, 1.00, 0.88, 0.005},
}};

// A batch of b requests takes alpha + beta * b milliseconds at the full clock of the first kind of GPU.
struct ServingModel {
  std::string_view name;
  double alpha_ms;
  double beta_ms;
  double core_share;
  double intensity;
};
constexpr std::array<ServingModel, 3> kServingModels{{
    {"image-text-encoder", 6.0, 1.7, 0.75, 0.62},
    {"text-embedder", 4.0, 0.8, 0.80, 0.50},
    {"object-detector", 9.0, 3.5, 0.85, 0.80},
}};

constexpr std::array kWorkerCounts{1, 2, 4, 8, 16};
// Runs with sixteen GPUs are included only where they leave most of the group free.
constexpr int kGpusForSixteen = 64;
constexpr std::array kBatches{1, 4, 16};
constexpr int kServingClocks = 6;
// The lowest clock under a limit, as a share of the full clock; below it, the GPU exceeds the limit.
constexpr double kLowestClock = 0.22;
constexpr double kPercent = 0.01;

// Rounded like a measurement.
double ToThousandths(double value) { return std::round(value * 1e3) / 1e3; }

const MadeGpu& KindOf(std::size_t group) { return kGpus[group % kGpus.size()]; }

// A model on a GPU without a limit.
struct Behaviour {
  double static_w;
  double dynamic_w;
  double clock_exponent;
  double core_share;

  double ClockAt(double limit_w) const {
    const double room = std::max(limit_w - static_w, 0.0) / dynamic_w;
    return std::clamp(std::pow(room, 1.0 / clock_exponent), kLowestClock, 1.0);
  }
  double PowerAt(double clock) const { return static_w + dynamic_w * std::pow(clock, clock_exponent); }
  double SlowdownAt(double clock) const { return 1.0 - core_share + core_share / clock; }
};

Behaviour BehaviourOf(const MadeGpu& gpu, double core_share, double intensity, RandomStream& random) {
  return {.static_w = gpu.static_w * (0.7 + 0.3 * intensity) * random.Uniform(0.97, 1.03),
          .dynamic_w = gpu.dynamic_w * intensity * random.Uniform(0.95, 1.05),
          .clock_exponent = gpu.clock_exponent * random.Uniform(0.95, 1.05),
          .core_share = core_share * random.Uniform(0.97, 1.0)};
}

// `count` values from low to high; for one value, the highest.
std::vector<double> Spread(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const double share = count == 1 ? 1.0 : static_cast<double>(i) / (count - 1);
    values.push_back(std::round(low + share * (high - low)));
  }
  return values;
}

void AddTrainingPoints(const TrainingModel& model, const Group& group, const MadeGpu& gpu, int limits,
                       RandomStream random, Profiles<TrainingPoint>& profiles) {
  const Behaviour behaviour = BehaviourOf(gpu, model.core_share, model.intensity, random);
  const double full_speed = model.samples_per_s * gpu.speed * random.Uniform(0.85, 1.15);
  const double scaling = std::min(model.scaling * random.Uniform(0.98, 1.02), 0.97);
  for (const int workers : kWorkerCounts) {
    if (workers > group.gpus() || (workers == 16 && group.gpus() < kGpusForSixteen)) continue;
    for (const double limit : Spread(gpu.lowest_limit_w, gpu.highest_limit_w, limits)) {
      const double clock = behaviour.ClockAt(limit);
      const double speed = full_speed / behaviour.SlowdownAt(clock) * std::pow(workers, scaling);
      const double watts = behaviour.PowerAt(clock) * workers;
      profiles.Add(std::string(model.name), group.gpu,
                   {.knob = {.core_mhz = std::nullopt, .power_limit_w = limit},
                    .workers = workers,
                    .samples_per_s = ToThousandths(speed * (1.0 + model.noise * random.Uniform(-1.0, 1.0))),
                    .power = Watts{ToThousandths(watts * (1.0 + kPercent * random.Uniform(-1.0, 1.0)))}});
    }
  }
}

void AddServingPoints(const ServingModel& model, const Group& group, const MadeGpu& gpu, RandomStream random,
                      Profiles<InferencePoint>& profiles) {
  const Behaviour behaviour = BehaviourOf(gpu, model.core_share, model.intensity, random);
  const double speed = gpu.speed * random.Uniform(0.9, 1.1);
  for (const double mhz : Spread(gpu.lowest_mhz, gpu.highest_mhz, kServingClocks)) {
    const double clock = mhz / gpu.highest_mhz;
    for (const int batch : kBatches) {
      const double ms = ToThousandths((model.alpha_ms + model.beta_ms * batch) / speed * behaviour.SlowdownAt(clock));
      // A larger batch keeps more of the GPU busy, at most all of it.
      const double filled = 0.55 + 0.45 * (1.0 - std::exp(-batch / 5.0));
      const double watts = behaviour.static_w * 0.75 + filled * (behaviour.PowerAt(clock) - behaviour.static_w * 0.75);
      profiles.Add(std::string(model.name), group.gpu,
                   {.knob = {.core_mhz = mhz, .power_limit_w = std::nullopt},
                    .batch = batch,
                    .latency = Seconds{ms / 1e3},
                    .requests_per_s = ToThousandths(batch * 1e3 / ms),
                    .power = Watts{ToThousandths(watts)}});
    }
  }
}

}  // namespace

std::vector<Group> MakeGroups(const Shape& shape) {
  Check(shape.groups > 0 && shape.gpus > 0 && shape.gpus_per_node > 0, "the generated cluster has no GPUs");
  const int count = static_cast<int>(shape.groups);
  // A cluster with less than one node per group has smaller nodes.
  const int gpus_per_node = std::clamp(shape.gpus / count, 1, shape.gpus_per_node);
  const int nodes = std::max(count, (shape.gpus + gpus_per_node / 2) / gpus_per_node);
  std::vector<Group> groups;
  for (int i = 0; i < count; ++i) {
    const MadeGpu& kind = KindOf(static_cast<std::size_t>(i));
    const auto round = static_cast<std::size_t>(i) / kGpus.size();
    const std::string name = round == 0 ? std::string(kind.name) : fmt::format("{}-{}", kind.name, round + 1);
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    groups.push_back({.name = lower,
                      .gpu = name,
                      .nodes = nodes / count + (i < nodes % count ? 1 : 0),
                      .gpus_per_node = gpus_per_node,
                      .gpu_idle = Watts{kind.idle_w},
                      .node_base = Watts{kind.node_base_w},
                      .node_sleep = Watts{12},
                      .wake_time = 4min,
                      .wake_energy = Joules{15 * 3600.0}});
  }
  return groups;
}

std::vector<std::string> TrainingModels() {
  std::vector<std::string> names;
  names.reserve(kTrainingModels.size());
  for (const TrainingModel& model : kTrainingModels) names.emplace_back(model.name);
  return names;
}

std::vector<std::string> ServingModels() {
  std::vector<std::string> names;
  names.reserve(kServingModels.size());
  for (const ServingModel& model : kServingModels) names.emplace_back(model.name);
  return names;
}

Profiles<TrainingPoint> MakeTraining(const Shape& shape, const std::vector<Group>& groups, RandomStream random) {
  Check(shape.points_per_worker_count > 0, "the generated GPU has no setting");
  Profiles<TrainingPoint> profiles;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const RandomStream of_gpu = random.Split(groups[g].gpu);
    for (const TrainingModel& model : kTrainingModels) {
      AddTrainingPoints(model, groups[g], KindOf(g), shape.points_per_worker_count, of_gpu.Split(model.name), profiles);
    }
  }
  return profiles;
}

Profiles<InferencePoint> MakeInference(const std::vector<Group>& groups, RandomStream random) {
  Profiles<InferencePoint> profiles;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const RandomStream of_gpu = random.Split(groups[g].gpu);
    for (const ServingModel& model : kServingModels) {
      AddServingPoints(model, groups[g], KindOf(g), of_gpu.Split(model.name), profiles);
    }
  }
  return profiles;
}

}  // namespace heliostat::scenario
