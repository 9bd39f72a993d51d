#pragma once

#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/model/profile/library_tables.h"

namespace heliostat::profile {

// The library's figures of a model on a GPU: its own, or, where nobody ran it there, carried over from the GPU nearest
// in speed. A model moves with the memory share of the bandwidth and the rest of the peak, and draws the same share of
// the limit; what waits for its input does not move at all.
TrainingFacts TrainingFactsFor(const TrainingModelFacts& model, const GpuFacts& gpu);
InferenceFacts InferenceFactsFor(const InferenceModelFacts& model, const GpuFacts& gpu);

// How much faster the second GPU is for a model with this memory share.
double SpeedRatio(const GpuFacts& from, const GpuFacts& to, Precision precision, double memory_share);

// Bars of what is carried over, relative: one standard deviation, about, of what models do that move between GPUs
// otherwise than the rule says. Lambda's three speeds of the RTX 4090 are 1.1, 0.5 and 0.4 of it.
inline constexpr double kCarriedSpeedError = 0.35;
inline constexpr double kCarriedPowerError = 0.20;

}  // namespace heliostat::profile
