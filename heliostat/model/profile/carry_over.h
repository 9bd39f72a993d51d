#pragma once

#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/model/profile/library_tables.h"

namespace heliostat::profile {

// The library's figures of a model on a GPU: measured there or, where there are no measurements, carried over from the
// GPU nearest in speed. The speed scales with memory bandwidth and peak compute, weighted by the model's memory share;
// the power is the same share of the limit. A model that waits for its input keeps its speed.
TrainingFacts TrainingFactsFor(const TrainingModelFacts& model, const GpuFacts& gpu);
InferenceFacts InferenceFactsFor(const InferenceModelFacts& model, const GpuFacts& gpu);

// The speed of `to` relative to `from` for a model with this memory share.
double SpeedRatio(const GpuFacts& from, const GpuFacts& to, Precision precision, double memory_share);

// Relative error bars of figures that are carried over: about one standard deviation of the difference between measured
// models and the rule. Lambda's three speeds of the RTX 4090 are 1.1, 0.5 and 0.4 times the rule.
inline constexpr double kCarriedSpeedError = 0.35;
inline constexpr double kCarriedPowerError = 0.20;

}  // namespace heliostat::profile
