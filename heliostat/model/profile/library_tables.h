#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "heliostat/model/profile/curve.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::profile {

// The library's figures: what is known of models everywhere, and of each on the GPUs where somebody ran it.

enum class Precision { kSingle, kHalf };

struct TrainingModelFacts {
  std::string_view name;
  Precision precision;
  double memory_share;  // moves with a GPU's memory by this power of the bandwidth, with its peak by the rest
  double fixed_time;    // share of a step that does not know the core clock; 1 for a model that waits for its input
  double kappa;         // n workers are n^kappa times as fast
};

struct InferenceModelFacts {
  std::string_view name;
  double memory_share;
  double fixed_time;
  // A batch takes (start^overlap + (per_item * batch)^overlap)^(1/overlap): 1 where the start comes first (weights read
  // once a step), 2 where the host launches work while the GPU does it.
  double overlap;
  bool start_is_host;  // the start is the host's time, alike on every GPU; else it moves with memory
};

struct TrainingFacts {
  std::string_view model;
  std::string_view gpu;
  Origin origin;
  double samples_per_s;  // one worker, top setting
  double watts;          // there
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
  double base_w;  // serving, but hardly busy
  double full_w;  // busy all the time
  double latency_error;
  double power_error;
  std::string_view source;
};

std::span<const TrainingModelFacts> AllTrainingModels();
std::span<const InferenceModelFacts> AllInferenceModels();
std::span<const TrainingFacts> AllTrainingFacts();
std::span<const InferenceFacts> AllInferenceFacts();

}  // namespace heliostat::profile
