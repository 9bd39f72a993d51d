#include "heliostat/forecasting/live_signal/signal_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/base/core/log.h"

namespace heliostat::live_signal {
namespace {

constexpr Duration kLongestAhead = std::chrono::days(7);

}  // namespace

Instant Replay::ToSignal(Instant now) const {
  const double passed = speed * static_cast<double>((now - run_start).count());
  return signal_start + Duration(static_cast<Duration::rep>(std::floor(passed)));
}

Result<std::unique_ptr<SignalSource>> RecordedSignal::Make(std::string name, signal::Signal signal,
                                                           const Replay& replay, const std::string& model,
                                                           signal::Freshness known) {
  if (replay.signal_start < signal.series.start() || replay.signal_start >= signal.series.end()) {
    return Fail(ErrorCode::kInvalidArgument, name, "does not cover " + FormatInstant(replay.signal_start),
                FormatInstant(signal.series.start()) + " to " + FormatInstant(signal.series.end()));
  }
  const Duration step = signal.series.step();
  forecast::RollingForecast::Options options;
  options.model = model;
  options.start = replay.signal_start;
  options.most_steps = static_cast<std::size_t>(std::max<Duration::rep>(kLongestAhead / step, 1));
  options.fallback = forecast::RollingForecast::Fallback::kYesterday;
  // A value is published after the time that it covers.
  options.limits.max_age = std::max(options.limits.max_age, step);
  auto rolling = forecast::RollingForecast::Make(std::move(signal), std::move(options));
  if (!rolling) return Propagate(rolling);
  return std::unique_ptr<SignalSource>(new RecordedSignal(std::move(name), std::move(*rolling), replay, known));
}

forecast::Latest RecordedSignal::From(Instant time, std::size_t steps) {
  forecast::Latest latest = forecast_.From(time, steps);
  if (!forecast_.trouble().empty() && !std::exchange(is_trouble_told_, true)) {
    Log(LogLevel::kInfo, "{}: forecast as the day before: {}", name_, forecast_.trouble());
  }
  return latest;
}

SignalSource::Value RecordedSignal::At(Instant now) {
  const forecast::Latest latest = From(replay_.ToSignal(now), 1);
  const double value = latest.values.front();
  if (signal::IsMissing(value)) return {HighestOfDay(now), signal::Freshness::kClimatology, Duration{0}};
  return {value, known_ == signal::Freshness::kClimatology ? known_ : latest.freshness, latest.age};
}

std::vector<double> RecordedSignal::Ahead(Instant now, Duration slot, std::size_t count) {
  const auto& series = forecast_.measured().series;
  const Instant t = replay_.ToSignal(now);
  const double step = static_cast<double>(series.step().count());
  const double length = replay_.speed * static_cast<double>(slot.count());
  const double most = static_cast<double>(kLongestAhead.count());
  // Time since the start of the present step.
  const double offset = static_cast<double>(((t - series.start()) % series.step()).count());
  const double until = std::min(offset + length * static_cast<double>(count), most);
  const std::vector<double> steps = From(t, static_cast<std::size_t>(std::ceil(until / step)) + 1).values;
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = offset + length * static_cast<double>(i);
    const double end = begin + length;
    double sum = 0.0;
    double at = begin;
    while (at < end - 1e-9) {
      const auto index = static_cast<std::size_t>(at / step);
      const double next = std::min(end, step * static_cast<double>(index + 1));
      sum += (next - at) * steps[std::min(index, steps.size() - 1)];
      at = next;
    }
    means.push_back(sum / length);
  }
  return means;
}

double RecordedSignal::HighestOfDay(Instant now) {
  const auto& series = forecast_.measured().series;
  const auto last = static_cast<std::int64_t>(series.size()) - 1;
  const auto here = std::clamp<std::int64_t>((replay_.ToSignal(now) - series.start()) / series.step(), 0, last);
  const auto day = std::max<std::int64_t>(std::chrono::days(1) / series.step(), 1);
  double highest = 0.0;
  for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(here - day, 0)); i <= static_cast<std::size_t>(here);
       ++i) {
    if (!signal::IsMissing(series.values()[i])) highest = std::max(highest, series.values()[i]);
  }
  return highest;
}

}  // namespace heliostat::live_signal
