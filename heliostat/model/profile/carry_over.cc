#include "heliostat/model/profile/carry_over.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/base/core/check.h"

namespace heliostat::profile {
namespace {

constexpr std::string_view kCarried = "carried over from the nearest GPU by peak, bandwidth and limit";

double PeakOf(const GpuFacts& gpu, Precision precision) {
  return precision == Precision::kSingle ? gpu.fp32_tflops : gpu.half_tflops;
}

double ErrorOf(const TrainingFacts& facts) { return facts.speed_error; }
double ErrorOf(const InferenceFacts& facts) { return facts.latency_error; }

// A row with a larger error than this is carried over only where there is no other.
constexpr double kTrusted = 0.1;

// The model's row on the GPU, or the row to carry over: the one whose GPU is nearest in speed.
template <typename Facts>
const Facts& NearestFacts(std::span<const Facts> rows, std::string_view model, const GpuFacts& gpu) {
  const Facts* best = nullptr;
  double best_distance = std::numeric_limits<double>::infinity();
  for (const Facts& row : rows) {
    if (row.model != model) continue;
    if (row.gpu == gpu.name) return row;
    const GpuFacts* const other = FindGpuFacts(row.gpu);
    Check(other != nullptr, "a row of the library has an unknown GPU");
    const double doubt = ErrorOf(row) > kTrusted ? 1e3 : 0.0;
    const double distance = doubt + std::abs(std::log(other->half_tflops / gpu.half_tflops));
    if (distance < best_distance) {
      best_distance = distance;
      best = &row;
    }
  }
  Check(best != nullptr, "a model of the library has no row");
  return *best;
}

}  // namespace

double SpeedRatio(const GpuFacts& from, const GpuFacts& to, Precision precision, double memory_share) {
  const double peak = PeakOf(to, precision) / PeakOf(from, precision);
  const double bandwidth = to.memory_gb_s / from.memory_gb_s;
  return std::pow(peak, 1.0 - memory_share) * std::pow(bandwidth, memory_share);
}

TrainingFacts TrainingFactsFor(const TrainingModelFacts& model, const GpuFacts& gpu) {
  TrainingFacts facts = NearestFacts(AllTrainingFacts(), model.name, gpu);
  if (facts.gpu == gpu.name) return facts;
  const GpuFacts& from = *FindGpuFacts(facts.gpu);
  const bool waits_for_input = model.fixed_time >= 1.0;
  facts.gpu = gpu.name;
  facts.origin = Origin::kPredicted;
  facts.samples_per_s *= waits_for_input ? 1.0 : SpeedRatio(from, gpu, model.precision, model.memory_share);
  facts.watts *= gpu.highest_limit_w / from.highest_limit_w;
  facts.limit.reset();
  facts.speed_error = kCarriedSpeedError;
  facts.power_error = kCarriedPowerError;
  facts.source = kCarried;
  return facts;
}

InferenceFacts InferenceFactsFor(const InferenceModelFacts& model, const GpuFacts& gpu) {
  InferenceFacts facts = NearestFacts(AllInferenceFacts(), model.name, gpu);
  if (facts.gpu == gpu.name) return facts;
  const GpuFacts& from = *FindGpuFacts(facts.gpu);
  const double limits = gpu.highest_limit_w / from.highest_limit_w;
  facts.gpu = gpu.name;
  facts.origin = Origin::kPredicted;
  facts.per_item_ms /= SpeedRatio(from, gpu, Precision::kHalf, model.memory_share);
  if (!model.start_is_host) facts.start_ms *= from.memory_gb_s / gpu.memory_gb_s;
  facts.base_w *= limits;
  facts.full_w *= limits;
  facts.latency_error = std::max(facts.latency_error, kCarriedSpeedError);
  facts.power_error = std::max(facts.power_error, kCarriedPowerError);
  facts.source = kCarried;
  return facts;
}

}  // namespace heliostat::profile
