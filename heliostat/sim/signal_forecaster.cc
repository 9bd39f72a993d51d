#include "heliostat/sim/signal_forecaster.h"

#include <algorithm>
#include <cmath>

namespace heliostat::sim {
namespace {

using namespace std::chrono_literals;

// With less history than this a day more teaches much, and a model is fitted every day.
constexpr Duration kLittle = 28 * 24h;
// More history than this teaches little and costs time.
constexpr Duration kEnough = 120 * 24h;

}  // namespace

SignalForecaster::SignalForecaster(const scenario::Scenario& scenario, const std::optional<signal::StepSeries>& past,
                                   std::vector<double> truth, signal::Kind kind, const std::string& model)
    : start_(scenario.start), step_(scenario.step), model_(model) {
  meaning_.kind = kind;
  meaning_.nature = signal::Nature::kMeasured;
  if (kind == signal::Kind::kPrice) meaning_.currency = scenario.currency;
  const auto week = static_cast<std::size_t>(std::max<std::int64_t>(1, Duration(7 * 24h) / step_));
  most_ahead_ = std::min(week, scenario.slots);
  if (past && past->start() < scenario.start) {
    const auto most = static_cast<std::int64_t>(kEnough / step_);
    const std::int64_t slots = std::min<std::int64_t>(most, (scenario.start - past->start()) / step_);
    start_ = scenario.start - step_ * slots;
    for (std::int64_t i = 0; i < slots; ++i) {
      const Instant begin = start_ + step_ * i;
      const auto mean = past->Mean({begin, begin + step_});
      values_.push_back(mean ? *mean : signal::Missing());
    }
    past_values_ = values_.size();
  }
  values_.insert(values_.end(), truth.begin(), truth.end());
}

std::optional<forecast::History> SignalForecaster::Until(std::size_t values) const {
  auto series = signal::StepSeries::Make(
      start_, step_, std::vector<double>(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(values)));
  if (!series) return std::nullopt;
  return forecast::History{{"signal", meaning_, std::move(*series)}, {}, {}};
}

const forecast::ReadyModel* SignalForecaster::ModelFor(std::size_t slot) {
  const Duration known = step_ * static_cast<std::int64_t>(past_values_ + slot);
  const Duration every = known < kLittle ? Duration(24h) : Duration(7 * 24h);
  const auto slots = static_cast<std::size_t>(std::max<std::int64_t>(1, every / step_));
  // While nothing is known but the present, the first fit is that of the first slot.
  const std::size_t fitted_with = past_values_ + slot / slots * slots + 1;
  auto found = fits_.find(fitted_with);
  if (found == fits_.end()) {
    std::optional<forecast::ReadyModel> fit;
    if (const auto history = Until(fitted_with)) {
      if (auto made = forecast::ReadyModel::Make(model_, *history, most_ahead_)) fit = std::move(*made);
    }
    found = fits_.emplace(fitted_with, std::move(fit)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::vector<double> SignalForecaster::From(std::size_t slot, std::size_t count) {
  const std::size_t known = past_values_ + slot + 1;
  const double present = values_[known - 1];
  std::vector<double> values(count, present);
  if (count <= 1) return values;
  const forecast::ReadyModel* model = ModelFor(slot);
  const auto history = Until(known);
  if (model == nullptr || !history) return values;
  const auto answer = model->Ask(*history, count - 1);
  if (!answer) return values;
  for (std::size_t i = 1; i < count; ++i) {
    const double value = answer->prediction.values[i - 1];
    if (std::isfinite(value)) values[i] = value;
  }
  return values;
}

}  // namespace heliostat::sim
