#pragma once

#include <optional>
#include <string>

#include "heliostat/forecasting/forecast/auto_model.h"
#include "heliostat/forecasting/forecast/skill_weights.h"

namespace heliostat::forecast {

// Our own forecast and what others said, each by the skill it has shown at that
// lead: `auto`, fitted on what came before the last weeks, forecasts those again
// beside what had been issued then. Where nobody else says anything it answers as
// `auto` does.
class MergedModel : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t steps) override;
  Result<Prediction> Predict(const History& past, std::size_t steps) const override;
  io::Json Save() const override;
  Status Load(const io::Json& saved) override;

 private:
  std::string Reason(Duration step, std::size_t steps, std::size_t said) const;

  AutoModel own_;
  std::optional<SkillWeights> weights_;  // none: nobody else spoke when it was fitted
};

}  // namespace heliostat::forecast
