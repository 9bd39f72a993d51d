#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/sweep.h"

namespace heliostat::profile {

// How far a prediction may be off, as a share: the truth lies within a factor of 1 + bar, four times in five.
struct ErrorBar {
  double speed = 0.0;
  double power = 0.0;
  friend bool operator==(const ErrorBar&, const ErrorBar&) = default;
};

// Points of a workload on a GPU where it never ran, as if they had been measured there.
struct PredictedProfile {
  std::vector<Measurement> points;
  ErrorBar bar;
};

// The same on the safe side, for planning: slower and hungrier by the bar, batches as much longer.
std::vector<Measurement> Cautious(const PredictedProfile& prediction);

// What may be known of the model on the GPU that is asked for.
enum class Knowledge { kNothing, kOtherBatches };

// Carries workloads over to GPUs where they never ran, knowing nothing of their architecture: from their own speeds and
// draws on other GPUs, and from how other models moved between those GPUs. Models that are alike where both were
// measured (in batch, in draw, in how they moved between further GPUs) count most. Speeds move by a ratio, top draws
// along a line, and the shape over settings is that of the models alike on the GPU asked for.
class Transfer {
 public:
  explicit Transfer(std::span<const Measurement> rows);
  Transfer(const Transfer&) = delete;  // the index points into the sweeps
  Transfer& operator=(const Transfer&) = delete;

  // Every batch and number of workers of the model that can be carried over; those that were measured on the GPU are
  // carried over all the same, without a look at what was measured. Nothing feasible is an error: an unknown model or
  // GPU, or none that two other models show the way to.
  Result<std::vector<PredictedProfile>> Predict(const std::string& model, const std::string& gpu) const;

  // One workload, or nothing if fewer than two other models show the way.
  std::optional<PredictedProfile> PredictWorkload(const Workload& workload, const std::string& gpu,
                                                  Knowledge knowledge) const;

  const std::vector<Sweep>& sweeps() const { return sweeps_; }

 private:
  struct Estimate;
  struct Witness;

  const Sweep* Find(const Workload& workload, const std::string& gpu) const;
  std::vector<Witness> WitnessesOf(const Workload& workload, const std::string& from, const std::string& to,
                                   Knowledge knowledge, const std::string& without) const;
  double Unlikeness(const Workload& a, const Workload& b, const std::string& from, const std::string& to) const;
  std::optional<Estimate> EstimateFor(const Workload& workload, const std::string& gpu, Knowledge knowledge,
                                      const std::string& without) const;
  ErrorBar BarFor(const Workload& workload, const std::string& gpu, Knowledge knowledge) const;

  std::vector<Sweep> sweeps_;
  std::map<Workload, std::map<std::string, const Sweep*>> by_workload_;
  std::map<std::string, double> highest_w_;  // draw of any model, by GPU
};

}  // namespace heliostat::profile
