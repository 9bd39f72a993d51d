#include "heliostat/forecasting/forecast/issued.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "heliostat/forecasting/forecast/references.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::forecast {
namespace {

constexpr std::string_view kName = "provider";

// Collects the newest value per step and its age at the origin.
class Newspaper {
 public:
  Newspaper(Instant origin, Duration step, std::size_t steps)
      : origin_(origin), step_(step), values_(steps, signal::Missing()), ages_(steps) {}

  void Add(const Issued& issued) {
    if (issued.runs.empty()) {
      AddAhead(issued.signal);
    } else {
      AddRuns(issued.runs);
    }
  }
  std::vector<double> Take() { return std::move(values_); }

 private:
  // Each value was issued `lead` before its time. As in Before(), a value that is issued exactly at the origin does not
  // count.
  void AddAhead(const signal::Signal& signal) {
    const Duration lead = signal.meaning.lead.value_or(Duration{}) / step_ * step_;
    for (std::size_t i = 0; i < values_.size() && TimeOf(i) < origin_ + lead; ++i) {
      Offer(i, signal.series, lead - (TimeOf(i) - origin_));
    }
  }

  void AddRuns(const std::vector<signal::ForecastRun>& runs) {
    for (const auto& run : runs) {
      if (run.issued > origin_) break;  // oldest first: all others are later too
      if (run.series.end() <= origin_) continue;
      for (std::size_t i = 0; i < values_.size(); ++i) Offer(i, run.series, origin_ - run.issued);
    }
  }

  void Offer(std::size_t i, const signal::StepSeries& series, Duration age) {
    const Instant t = TimeOf(i);
    if (!series.span().Contains(t) || (!signal::IsMissing(values_[i]) && ages_[i] <= age)) return;
    const double value = series.values()[static_cast<std::size_t>((t - series.start()) / series.step())];
    if (signal::IsMissing(value)) return;
    values_[i] = value;
    ages_[i] = age;
  }

  Instant TimeOf(std::size_t i) const { return origin_ + step_ * static_cast<std::int64_t>(i); }

  Instant origin_;
  Duration step_;
  std::vector<double> values_;
  std::vector<Duration> ages_;
};

class Provider : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t steps) override {
    if (const auto silent = RefuseSilence(past); !silent) return silent;
    return yesterday_->Fit(past, steps);
  }

  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    if (const auto silent = RefuseSilence(past); !silent) return Propagate(silent);
    Prediction prediction{IssuedAt(past, past.end(), steps), std::string(kName), {}};
    auto& values = prediction.values;
    const auto missing = static_cast<std::size_t>(std::ranges::count_if(values, signal::IsMissing));
    if (missing > 0) {
      const auto rest = yesterday_->Predict(past, steps);
      if (!rest) return Propagate(rest);
      for (std::size_t i = 0; i < steps; ++i) {
        if (signal::IsMissing(values[i])) values[i] = rest->values[i];
      }
    }
    prediction.reason = fmt::format("{} of {} values are from providers{}", steps - missing, steps,
                                    missing > 0 ? ", the others from the day before" : "");
    return prediction;
  }

  io::Json Save() const override { return regression::SaveModel(kName); }
  Status Load(const io::Json& saved) override { return regression::ExpectModel(saved, kName); }

 private:
  static Status RefuseSilence(const History& past) {
    if (!past.issued.empty()) return {};
    return Fail(ErrorCode::kInvalidArgument, fmt::format("model {}", kName),
                "the history has no forecasts of a provider", "name a file of them with option 'issued'");
  }

  std::unique_ptr<Forecaster> yesterday_ = MakeSeasonal("yesterday", std::chrono::days{1});
};

}  // namespace

std::vector<double> IssuedAt(const History& history, Instant origin, std::size_t steps) {
  Newspaper newest(origin, history.step(), steps);
  for (const Issued& issued : history.issued) newest.Add(issued);
  return newest.Take();
}

std::unique_ptr<Forecaster> MakeProvider() { return std::make_unique<Provider>(); }

}  // namespace heliostat::forecast
