#include "heliostat/forecasting/forecast/references.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "heliostat/forecasting/regression/saved.h"
#include "heliostat/signals/signal/climatology.h"

namespace heliostat::forecast {
namespace {

constexpr Duration kWeek{7 * 86400};
constexpr Duration kClimate = 8 * kWeek;

// The value at `t`; std::nullopt when `t` is outside or the value is missing.
std::optional<double> Known(const signal::StepSeries& series, Instant t) {
  if (!series.span().Contains(t)) return std::nullopt;
  const double value = series.values()[static_cast<std::size_t>((t - series.start()) / series.step())];
  return signal::IsMissing(value) ? std::nullopt : std::optional(value);
}

class Persistence : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t /*steps*/) override {
    return NewestKnown(past.target.series, kWhere).map([](std::size_t) {});
  }

  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    const auto newest = NewestKnown(past.target.series, kWhere);
    if (!newest) return Propagate(newest);
    return Prediction{std::vector<double>(steps, past.target.series.values()[*newest]), "persistence", {}};
  }

  io::Json Save() const override { return regression::SaveModel("persistence"); }
  Status Load(const io::Json& saved) override { return regression::ExpectModel(saved, "persistence"); }

 private:
  static constexpr const char* kWhere = "model persistence";
};

class Seasonal : public Forecaster {
 public:
  Seasonal(std::string_view name, Duration period) : name_(name), period_(period) {}

  Status Fit(const History& past, std::size_t /*steps*/) override {
    return NewestIn(past.target.series).map([](std::size_t) {});
  }

  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    const auto& series = past.target.series;
    const auto newest = NewestIn(series);
    if (!newest) return Propagate(newest);
    Prediction prediction{{}, name_, {}};
    prediction.values.reserve(steps);
    for (std::size_t i = 0; i < steps; ++i) {
      const Instant t = series.TimeOf(series.size() + i);
      const Instant before = t - period_ * ((t - series.end()) / period_ + 1);
      auto value = Known(series, before);
      if (!value) value = Known(series, before - period_);
      prediction.values.push_back(value.value_or(series.values()[*newest]));
    }
    return prediction;
  }

  io::Json Save() const override { return regression::SaveModel(name_); }
  Status Load(const io::Json& saved) override { return regression::ExpectModel(saved, name_); }

 private:
  // The newest known value of a history that is long enough.
  Result<std::size_t> NewestIn(const signal::StepSeries& series) const {
    if (series.span().length() < period_) {
      return Fail(
          ErrorCode::kInvalidArgument, "model " + name_,
          fmt::format("needs {} of history, has {}", FormatDuration(period_), FormatDuration(series.span().length())),
          period_ == kWeek ? "a longer history, or the model yesterday" : "a longer history, or the model persistence");
    }
    return NewestKnown(series, "model " + name_);
  }

  std::string name_;
  Duration period_;
};

class ClimatologyModel : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t /*steps*/) override {
    // Only recent weeks, because seasons and plants change; the whole history when those have no value.
    auto recent = Newest(past, kClimate);
    if (!recent) return Propagate(recent);
    const auto& series = recent->target.series;
    return Learn(series.missing() < series.size() ? series : past.target.series);
  }

  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    if (!usual_) return Fail(ErrorCode::kInvalidArgument, kWhere, "is not fitted", "fit or load it first");
    const auto& series = past.target.series;
    Prediction prediction{{}, "climatology", {}};
    for (std::size_t i = 0; i < steps; ++i) {
      prediction.values.push_back(usual_->At(series.TimeOf(series.size() + i)));
    }
    return prediction;
  }

  io::Json Save() const override {
    io::Json saved = regression::SaveModel("climatology");
    if (!usual_) return saved;
    const auto slots = static_cast<std::size_t>((kWeek + usual_->step() - Duration{1}) / usual_->step());
    std::vector<double> week;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      week.push_back(usual_->At(Instant{} + usual_->step() * static_cast<std::int64_t>(slot)));
    }
    return saved.Set("step_s", usual_->step().count()).Set("week", regression::SaveNumbers(week));
  }

  Status Load(const io::Json& saved) override {
    const Status is_ours = regression::ExpectModel(saved, "climatology");
    if (!is_ours) return is_ours;
    const auto member = saved.Get("step_s");
    if (!member) return Propagate(member);
    const auto step = (*member)->Integer();
    if (!step) return Propagate(step);
    const auto week = regression::LoadNumbers(saved, "week");
    if (!week) return Propagate(week);
    if (*step <= 0 || *step > kWeek.count() ||
        week->size() != static_cast<std::size_t>((kWeek.count() + *step - 1) / *step)) {
      return Fail(ErrorCode::kCorrupt, saved.where(), "the values do not fill a week", "must be one per step");
    }
    // The climatology of one week of usual values is that week.
    const auto series = signal::StepSeries::Make(Instant{}, Duration{*step}, *week);
    if (!series) return Propagate(series);
    return Learn(*series);
  }

 private:
  static constexpr const char* kWhere = "model climatology";

  Status Learn(const signal::StepSeries& series) {
    auto usual = signal::Climatology::FromHistory(series);
    if (!usual) return Propagate(usual);
    usual_ = std::move(*usual);
    return {};
  }

  std::optional<signal::Climatology> usual_;
};

}  // namespace

std::unique_ptr<Forecaster> MakePersistence() { return std::make_unique<Persistence>(); }

std::unique_ptr<Forecaster> MakeSeasonal(std::string_view name, Duration period) {
  return std::make_unique<Seasonal>(name, period);
}

std::unique_ptr<Forecaster> MakeClimatology() { return std::make_unique<ClimatologyModel>(); }

Result<std::size_t> NewestKnown(const signal::StepSeries& series, const std::string& where) {
  const auto& values = series.values();
  for (std::size_t i = values.size(); i > 0; --i) {
    if (!signal::IsMissing(values[i - 1])) return i - 1;
  }
  return Fail(ErrorCode::kInvalidArgument, where, "the history has no known value", "at least one is needed");
}

}  // namespace heliostat::forecast
