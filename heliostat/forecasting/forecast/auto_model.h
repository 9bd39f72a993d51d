#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/forecasting/auto_parts/blend.h"
#include "heliostat/forecasting/auto_parts/member.h"
#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// The forecast model of Heliostat. It combines the calendar, the present state of the grid and, where the file has
// generation by source, each source of the mix. Several such models are blended per day of lead by their errors on the
// days before the fit.
//
// With a short history it uses fewer models and reports this in the reason: regressions need 28 days, a daily pattern
// needs four days, the values of the day before need one day; with less it repeats the last value. Not thread-safe.
class AutoModel : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t steps) override;
  Result<Prediction> Predict(const History& past, std::size_t steps) const override;
  io::Json Save() const override;
  Status Load(const io::Json& saved) override;

 private:
  void Rehearse(const auto_parts::Frame& frame, std::size_t steps, std::span<const auto_parts::MemberKind> kinds);
  bool CanAnswer(const auto_parts::Frame& frame) const;
  Status LoadMembers(const io::Json& saved);
  std::string Reason() const;
  std::string Shortfall() const;

  std::optional<auto_parts::FrameRecipe> recipe_;
  std::optional<auto_parts::CalendarModel> calendar_;  // none: the history is too short for any member
  std::vector<auto_parts::Member> members_;
  std::optional<auto_parts::Blend> blend_;
  double days_ = 0;            // length of the history at the fit
  std::size_t rehearsed_ = 0;  // number of past forecasts that the blend learned from
  std::size_t steps_ = 0;      // coarse steps fitted
};

}  // namespace heliostat::forecast
