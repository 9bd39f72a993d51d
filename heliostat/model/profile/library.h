#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/knob.h"
#include "heliostat/model/profile/curve.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::profile {

// How a model's figures on a GPU are known.
enum class Origin {
  kMeasured,   // fitted to measurements of that model on that GPU
  kTopOnly,    // known at its top setting only; below it the GPU's usual curve is taken
  kPredicted,  // never seen there: carried over from other GPUs
};
std::string_view NameOf(Origin origin);

// How far points go towards the safe side of what is not known for sure.
enum class Margin {
  kNone,      // the likeliest figures
  kErrorBar,  // slower and hungrier by the entry's error where it was not measured; what planning should use
};

// One model on one GPU, as `heliostat profile library` lists it.
struct LibraryEntry {
  std::string_view model;
  std::string_view gpu;
  bool is_training = true;
  Origin origin = Origin::kMeasured;
  double speed_per_s = 0.0;  // samples (tokens) of one worker, or requests at the largest batch, at the top setting
  double power_w = 0.0;      // of one GPU there
  double speed_error = 0.0;  // relative: of the fit, or the bar of a prediction
  double power_error = 0.0;  // likewise
  std::string_view source;   // where the figures come from
};

// The built-in profiles: parameters fitted by us, so that everything runs without a file. Every model is there on every
// GPU. Names are stable; order is that of the table.
std::vector<std::string_view> LibraryGpus();
std::vector<std::string_view> TrainingModels();
std::vector<std::string_view> InferenceModels();
std::vector<LibraryEntry> LibraryEntries();

inline constexpr std::array kWorkerCounts{1, 2, 4, 8};
inline constexpr std::array kBatches{1, 4, 16};

// The knob is the power limit or the core clock. `steps` settings from the lowest that makes sense on the GPU to its
// highest (the highest alone for one step), for each number of workers. Empty for a model or GPU that the library does
// not have, as Profiles::Of() is.
std::vector<scenario::TrainingPoint> TrainingPoints(std::string_view model, std::string_view gpu, Knob knob, int steps,
                                                    std::span<const int> workers = kWorkerCounts,
                                                    Margin margin = Margin::kErrorBar);
// The same for serving on one GPU: `steps` core clocks, for each batch.
std::vector<scenario::InferencePoint> InferencePoints(std::string_view model, std::string_view gpu, int steps,
                                                      std::span<const int> batches = kBatches,
                                                      Margin margin = Margin::kErrorBar);

// One worker of a training model on a GPU, by either knob.
struct TrainingCurves {
  PowerCurve clock;            // draw by the share of the highest core clock
  TimeCurve time;              // of a step by the same
  LimitCurve limit;            // both by power limit
  double samples_per_s = 0.0;  // at the top setting
};
// Nothing for a model or GPU that the library does not have.
std::optional<TrainingCurves> CurvesOf(std::string_view model, std::string_view gpu);

// Alike nodes of a GPU that the library has (checked), named after it in lower case.
scenario::Group GroupOf(std::string_view gpu, int nodes, int gpus_per_node);

}  // namespace heliostat::profile
