#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/forecasting/auto_parts/blend.h"
#include "heliostat/forecasting/auto_parts/member.h"
#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// Our own: what a grid does by the calendar and what it does now, each source of
// its mix where the file has it, several such models blended for each day of
// lead by their own errors on the days before the fit.
//
// With little history it does less, step by step, and says so: a month is needed
// for regressions, four days for a daily pattern, a day for yesterday's values;
// with less the last value is repeated.
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
  std::optional<auto_parts::CalendarModel> calendar_;  // none: too little history for anything but references
  std::vector<auto_parts::Member> members_;
  std::optional<auto_parts::Blend> blend_;
  double days_ = 0;            // of history at the fit
  std::size_t rehearsed_ = 0;  // past forecasts that the blend learned from
  std::size_t steps_ = 0;      // coarse steps fitted
};

}  // namespace heliostat::forecast
