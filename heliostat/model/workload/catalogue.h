#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/measurement.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::workload {

// A model's name without case, punctuation, owner, data set and similar additions: "resnet50" for "ResNet-50" and for
// "resnet50-imagenet", "ncf" for "ncf-movielens-1m". Empty if nothing is left.
std::string PlainModelName(std::string_view name);

// Of `models`, the one that a name means: the same name, the same plain name, or the same without a precision such as
// bf16. Nothing where none fits.
std::optional<std::string> MatchModel(std::string_view name, std::span<const std::string> models);

// The profiles that a scenario can use: the user's own and, for GPUs without own rows of training or of serving, those
// of the library. A model keeps the user's name on all GPUs. Immutable once made, so thread-safe.
class Catalogue {
 public:
  // Own training rows with numbers of workers that were not measured are scaled. With Margin::kErrorBar, points are
  // slower and draw more by the errors that rows state, except those of scaling: a job's length is known with the
  // workers of its trace, so these errors cancel there. At most `knob_steps` settings of each sweep are used.
  Catalogue(std::span<const profile::Measurement> own, int knob_steps, profile::Margin margin);

  bool HasGpu(std::string_view gpu) const;
  // True if some model can be trained on the GPU.
  bool HasTraining(std::string_view gpu) const;
  // The user's GPUs, in the order of their rows.
  const std::vector<std::string>& own_gpus() const { return own_gpus_; }

  // Training models for jobs without one: the user's own that ran on a group's GPU, or else those that were measured on
  // one of the groups' GPUs or, if there are none, all models of the library.
  std::vector<std::string> ModelsFor(std::span<const scenario::Group> groups) const;
  // The model for a name in a trace: the same model or a similar one. Nothing where none fits.
  std::optional<std::string> ModelNamed(std::string_view name, std::span<const scenario::Group> groups) const;
  // Models that some group can serve.
  std::vector<std::string> ServingModelsFor(std::span<const scenario::Group> groups) const;

  // Empty where the model has no profile on the GPU.
  std::vector<scenario::TrainingPoint> TrainingPoints(const std::string& model, const std::string& gpu,
                                                      std::span<const int> workers) const;
  std::vector<scenario::InferencePoint> InferencePoints(const std::string& model, const std::string& gpu,
                                                        int clock_steps) const;
  bool CanTrain(const std::string& model, const std::string& gpu) const;

  // A group with a GPU that HasGpu(). Figures of nodes with a GPU that the library does not have are those of
  // two-socket servers with PCIe cards; an idle GPU draws kIdleShare of its highest measured power.
  scenario::Group GroupOf(const std::string& gpu, int nodes, int gpus_per_node) const;
  static constexpr double kIdleShare = 0.12;

 private:
  bool HasOwn(std::string_view gpu, bool is_training) const;
  std::vector<std::string> OwnModels(bool is_training, std::span<const scenario::Group> groups) const;

  std::vector<profile::Measurement> own_;
  std::vector<std::string> own_gpus_;
  int knob_steps_;
  profile::Margin margin_;
};

}  // namespace heliostat::workload
