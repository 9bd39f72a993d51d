#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/rehearsal.h"

namespace heliostat::forecast::testing {

inline Instant At(std::string_view text) { return *ParseInstant(text, "test"); }

inline History HistoryOf(std::vector<double> values, Duration step = std::chrono::hours{1},
                         signal::Kind kind = signal::Kind::kCarbonIntensity, Instant start = At("2021-01-01")) {
  signal::Meaning meaning;
  meaning.kind = kind;
  return {signal::Signal{"target", meaning, *signal::StepSeries::Make(start, step, std::move(values))}, {}, {}};
}

// A daily wave around a random level, positive.
inline std::vector<double> Wandering(std::size_t hours, std::uint64_t seed, double noise = 0.05) {
  RandomStream random(seed);
  std::vector<double> values;
  double level = 0;
  for (std::size_t i = 0; i < hours; ++i) {
    level = 0.97 * level + random.Normal(0, noise);
    values.push_back(300 * std::exp(0.3 * std::sin(2 * 3.141592653589793 * static_cast<double>(i) / 24) + level));
  }
  return values;
}

// Predicts the newest known value at the same time of day, or the last value. Records its fits.
class Yesterday : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t) override {
    ++fits;
    fitted_on.push_back(past.target.series.span());
    return {};
  }
  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    Prediction prediction{{}, "yesterday", ""};
    const auto& series = past.target.series;
    for (std::size_t i = 0; i < steps; ++i) {
      const double value = YesterdayOf(series, past.end() + past.step() * static_cast<std::int64_t>(i), past.end());
      prediction.values.push_back(signal::IsMissing(value) ? series.values().back() : value);
    }
    return prediction;
  }
  io::Json Save() const override { return io::Json::Object{}; }
  Status Load(const io::Json&) override { return {}; }

  int fits = 0;
  std::vector<Interval> fitted_on;
};

// Predicts the last value plus a slope from the first to the last value of the fit: a model with state to save.
class Drift : public Forecaster {
 public:
  Status Fit(const History& past, std::size_t) override {
    const auto& values = past.target.series.values();
    if (values.size() < 2) return Fail(ErrorCode::kInvalidArgument, "drift", "too little history", "two values");
    slope_ = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
    return {};
  }
  Result<Prediction> Predict(const History& past, std::size_t steps) const override {
    Prediction prediction{{}, "drift", ""};
    for (std::size_t i = 1; i <= steps; ++i) {
      prediction.values.push_back(past.target.series.values().back() + slope_ * static_cast<double>(i));
    }
    return prediction;
  }
  io::Json Save() const override { return io::Json::Object{{"slope", slope_}}; }
  Status Load(const io::Json& saved) override {
    const auto slope = saved.Get("slope");
    if (!slope) return Propagate(slope);
    const auto number = (*slope)->Number();
    if (!number) return Propagate(number);
    slope_ = *number;
    return {};
  }

 private:
  double slope_ = 0;
};

// Answers with the result of a function.
class Saying : public Yesterday {
 public:
  using Words = std::function<Result<Prediction>(const History& past, std::size_t steps)>;
  explicit Saying(Words words) : words_(std::move(words)) {}
  Result<Prediction> Predict(const History& past, std::size_t steps) const override { return words_(past, steps); }

 private:
  Words words_;
};

template <typename Model>
Candidate CandidateOfType(std::string_view name, std::optional<Duration> train = std::nullopt,
                          std::optional<Duration> refit = std::nullopt) {
  return {{name, "of a test", train, refit},
          [](const History&) -> Result<std::unique_ptr<Forecaster>> { return std::make_unique<Model>(); }};
}

}  // namespace heliostat::forecast::testing
