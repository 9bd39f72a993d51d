#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "heliostat/model/profile/curve.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::profile {

// The tables of the library: figures of models in general, and of each model on the GPUs where it was measured.

enum class Precision { kSingle, kHalf };

struct TrainingModelFacts {
  std::string_view name;
  Precision precision;
  double memory_share;  // exponent of the memory bandwidth in the speed; the peak has the rest
  double fixed_time;    // share of a step that does not depend on the core clock; 1: waits for its input
  double kappa;         // n workers are n^kappa times as fast
};

struct InferenceModelFacts {
  std::string_view name;
  double memory_share;
  double fixed_time;
  // A batch takes (start^overlap + (per_item * batch)^overlap)^(1/overlap): 1 where the start comes first (weights read
  // once per step), 2 where the host launches work while the GPU runs.
  double overlap;
  bool start_is_host;  // the start is host time, equal on every GPU; else it scales with memory
};

struct TrainingFacts {
  std::string_view model;
  std::string_view gpu;
  Origin origin;
  double samples_per_s;  // of one worker at the top setting
  double watts;          // at the top setting
  std::optional<LimitCurve> limit;
  double speed_error;
  double power_error;
  std::string_view source;
};

struct InferenceFacts {
  std::string_view model;
  std::string_view gpu;
  Origin origin;
  double start_ms;
  double per_item_ms;
  double base_w;  // serving, nearly idle
  double full_w;  // fully busy
  double latency_error;
  double power_error;
  std::string_view source;
};

std::span<const TrainingModelFacts> AllTrainingModels();
std::span<const InferenceModelFacts> AllInferenceModels();
std::span<const TrainingFacts> AllTrainingFacts();
std::span<const InferenceFacts> AllInferenceFacts();

}  // namespace heliostat::profile
