#pragma once

#include <optional>
#include <string>

#include "heliostat/forecasting/forecast/auto_model.h"
#include "heliostat/forecasting/forecast/skill_weights.h"

namespace heliostat::forecast {

// Combines the forecast of `auto` with the forecasts by others, weighted by their past skill at each lead. To measure
// the skill, `auto` is fitted on the time before the last weeks and forecasts these weeks, which are compared with the
// forecasts issued at that time. Without forecasts by others it answers as `auto` does. Not thread-safe.
class MergedModel : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t steps) override;
  Result<Prediction> Predict(const History& past, std::size_t steps) const override;
  io::Json Save() const override;
  Status Load(const io::Json& saved) override;

 private:
  std::string Reason(Duration step, std::size_t steps, std::size_t said) const;

  AutoModel own_;
  std::optional<SkillWeights> weights_;  // none: there were no forecasts by others at the fit
};

}  // namespace heliostat::forecast
