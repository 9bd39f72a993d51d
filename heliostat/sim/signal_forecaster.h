#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecast/ready_model.h"
#include "heliostat/scenario/scenario.h"

namespace heliostat::sim {

// One signal of a scenario, forecast as a live system would: from what was measured until then and nothing else. The
// answer is a function of the slot alone, whatever was asked before.
class SignalForecaster {
 public:
  // `truth` is one value a slot. `past` may be on another step, and is brought to the scenario's.
  SignalForecaster(const scenario::Scenario& scenario, const std::optional<signal::StepSeries>& past,
                   std::vector<double> truth, signal::Kind kind, const std::string& model);

  // `count` values from `slot` on, the first as measured.
  std::vector<double> From(std::size_t slot, std::size_t count);

 private:
  // The model that was fitted last before the slot; nothing when nothing could be.
  const forecast::ReadyModel* ModelFor(std::size_t slot);
  std::optional<forecast::History> Until(std::size_t values) const;

  Instant start_;  // of the past
  Duration step_;
  std::size_t past_values_ = 0;
  std::size_t most_ahead_ = 0;
  std::vector<double> values_;  // past and truth
  signal::Meaning meaning_;
  std::string model_;
  std::map<std::size_t, std::optional<forecast::ReadyModel>> fits_;  // by the number of values known
};

}  // namespace heliostat::sim
