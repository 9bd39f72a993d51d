#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/sweep.h"

namespace heliostat::profile {

// The error of a prediction, as a share: in four of five cases the true value is within a factor of 1 + bar.
struct ErrorBar {
  double speed = 0.0;
  double power = 0.0;
  friend bool operator==(const ErrorBar&, const ErrorBar&) = default;
};

// Predicted points of a workload on a GPU.
struct PredictedProfile {
  std::vector<Measurement> points;
  ErrorBar bar;
};

// The same, cautious, for plans: lower speed, more power and longer batches by the bar. The points state no error,
// since they contain it.
std::vector<Measurement> Cautious(const PredictedProfile& prediction);

// What a prediction may use of the model's measurements on the requested GPU.
enum class Knowledge { kNothing, kOtherBatches };

// Predicts workloads on GPUs where they were not measured, without knowledge of their architecture: from their speed
// and power on other GPUs, and from how other models change between those GPUs. Similar models count most: similar in
// batch, in power and in their changes between further GPUs. Speeds scale by a ratio and top power along a line. The
// shape over settings is that of similar models on the requested GPU. Immutable once made, so thread-safe.
class Transfer {
 public:
  explicit Transfer(std::span<const Measurement> rows);
  Transfer(const Transfer&) = delete;  // the index points into the sweeps
  Transfer& operator=(const Transfer&) = delete;

  // Predicts every batch and number of workers of the model for which there is enough data. Workloads that were
  // measured on the GPU are predicted as well, without use of those measurements. Fails for an unknown model or GPU,
  // and when fewer than two other models were measured on both GPUs.
  Result<std::vector<PredictedProfile>> Predict(const std::string& model, const std::string& gpu) const;

  // Predicts one workload. Nothing when fewer than two other models were measured on both GPUs.
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
  std::map<std::string, double> highest_w_;  // by GPU: highest power of any model
};

}  // namespace heliostat::profile
