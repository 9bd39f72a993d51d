#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/knob.h"
#include "heliostat/model/profile/curve.h"
#include "heliostat/model/profile/origin.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::profile {

// How cautious points are where figures are uncertain.
enum class Margin {
  kNone,      // the likeliest figures
  kErrorBar,  // slower and with more power by the entry's error where it was not measured; use it for plans
};

// One model on one GPU, as `heliostat profile library` lists it.
struct LibraryEntry {
  std::string_view model;
  std::string_view gpu;
  bool is_training = true;
  Origin origin = Origin::kMeasured;
  double speed_per_s = 0.0;  // at the top setting: samples (tokens) of one worker, or requests at the largest batch
  double power_w = 0.0;      // of one GPU there
  double speed_error = 0.0;  // relative; of the fit, or the error bar of a prediction
  double power_error = 0.0;  // likewise
  std::string_view source;   // where the figures come from
};

// The built-in profiles: fitted parameters, so that all commands work without a file. Every model is available on every
// GPU. Names are stable; the order is that of the tables.
std::vector<std::string_view> LibraryGpus();
std::vector<std::string_view> TrainingModels();
std::vector<std::string_view> InferenceModels();
std::vector<LibraryEntry> LibraryEntries();

inline constexpr std::array kWorkerCounts{1, 2, 4, 8};
inline constexpr std::array kBatches{1, 4, 16};

// Points for each number of workers at `steps` settings of a knob, the power limit or the core clock: from the lowest
// useful setting of the GPU to its highest; for one step, the highest only. Empty for a model or GPU that the library
// does not have.
std::vector<scenario::TrainingPoint> TrainingPoints(std::string_view model, std::string_view gpu, Knob knob, int steps,
                                                    std::span<const int> workers = kWorkerCounts,
                                                    Margin margin = Margin::kErrorBar);
// The same for serving on one GPU: for each batch, at `steps` core clocks.
std::vector<scenario::InferencePoint> InferencePoints(std::string_view model, std::string_view gpu, int steps,
                                                      std::span<const int> batches = kBatches,
                                                      Margin margin = Margin::kErrorBar);

// One worker of a training model on a GPU, by either knob.
struct TrainingCurves {
  PowerCurve clock;            // power by the share of the highest core clock
  TimeCurve time;              // of a step by the same
  LimitCurve limit;            // both by power limit
  double samples_per_s = 0.0;  // at the top setting
};
// Nothing for a model or GPU that the library does not have.
std::optional<TrainingCurves> CurvesOf(std::string_view model, std::string_view gpu);

// A group with this GPU, named after it in lower case. The library must have the GPU.
scenario::Group GroupOf(std::string_view gpu, int nodes, int gpus_per_node);

}  // namespace heliostat::profile
