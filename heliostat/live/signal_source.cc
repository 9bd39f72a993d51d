#include "heliostat/live/signal_source.h"

#include <algorithm>
#include <cmath>

#include "heliostat/core/log.h"

namespace heliostat::live {
namespace {

// Enough for a mean of each hour of the week, little enough to be fitted while the user waits.
constexpr Duration kHistory = std::chrono::days(28);
constexpr Duration kLongestAhead = std::chrono::days(7);
// Providers publish a while after the fact: until then the present is forecast, and nothing is amiss.
constexpr Duration kPublished = std::chrono::hours(1);
constexpr Duration kOld = std::chrono::hours(6);

}  // namespace

Instant Replay::ToSignal(Instant now) const {
  const double passed = speed * static_cast<double>((now - run_start).count());
  return signal_start + Duration(static_cast<Duration::rep>(std::floor(passed)));
}

Result<std::unique_ptr<SignalSource>> RecordedSignal::Make(std::string name, signal::Signal signal,
                                                           const Replay& replay, const std::string& model) {
  if (replay.signal_start < signal.series.start() || replay.signal_start >= signal.series.end()) {
    return Fail(ErrorCode::kInvalidArgument, name, "does not cover " + FormatInstant(replay.signal_start),
                FormatInstant(signal.series.start()) + " to " + FormatInstant(signal.series.end()));
  }
  std::unique_ptr<RecordedSignal> source(new RecordedSignal(std::move(name), std::move(signal), replay));
  const Instant now = source->signal_.series.TimeOf(source->IndexAt(replay.signal_start));
  const auto past = forecast::Before({source->signal_, {}, {}}, now);
  const auto recent = past ? forecast::Newest(*past, kHistory) : past;
  const auto steps = static_cast<std::size_t>(kLongestAhead / source->signal_.series.step());
  if (recent) {
    auto ready = forecast::ReadyModel::Make(model, *recent, std::max<std::size_t>(steps, 1));
    if (ready) {
      source->model_ = std::move(*ready);
    } else if (ready.error().code == ErrorCode::kNotFound || ready.error().where == "--model") {
      return Propagate(ready);
    } else {
      Log(LogLevel::kInfo, "{}: forecast as the day before: {}", source->name_, ready.error().Line());
    }
  }
  return source;
}

std::size_t RecordedSignal::IndexAt(Instant t) const {
  const auto& series = signal_.series;
  const auto index = (t - series.start()) / series.step();
  return static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, static_cast<std::int64_t>(series.size()) - 1));
}

SignalSource::Value RecordedSignal::At(Instant now) {
  const auto& series = signal_.series;
  const Instant t = replay_.ToSignal(now);
  std::size_t i = IndexAt(t);
  while (i > 0 && signal::IsMissing(series.values()[i])) --i;
  const double value = series.values()[i];
  if (signal::IsMissing(value)) return {HighestOfDay(now), ledger::Freshness::kClimatology, Duration{0}};
  const Duration age = std::max(t - (series.TimeOf(i) + series.step()), Duration{0});
  if (age == Duration{0}) return {value, ledger::Freshness::kMeasured, Duration{0}};
  // After its end, or in a hole: what was forecast for now says more than a value of some time ago.
  const auto step = static_cast<std::size_t>((t - series.TimeOf(IndexAt(t))) / series.step());
  const double expected = Steps(t, step + 1)[step];
  if (age <= std::max(kPublished, series.step())) return {expected, ledger::Freshness::kForecast, age};
  return {expected, age < kOld ? ledger::Freshness::kStale : ledger::Freshness::kClimatology, age};
}

// The step of `t`, or the last that is known before it, and at least `count` after that one, as forecast from there.
std::vector<double> RecordedSignal::Steps(Instant t, std::size_t count) {
  const auto& series = signal_.series;
  const std::size_t here = IndexAt(t);
  const double last = series.values()[here];
  if (model_) {
    const auto past = forecast::Before({signal_, {}, {}}, series.TimeOf(here + 1));
    const auto answer = past ? model_->Ask(*past, count) : Result<forecast::Answer>(Propagate(past));
    if (answer) {
      // The present step is known.
      std::vector<double> values{signal::IsMissing(last) ? answer->prediction.values.front() : last};
      values.insert(values.end(), answer->prediction.values.begin(), answer->prediction.values.end());
      return values;
    }
  }
  const auto day = static_cast<std::size_t>(std::max<Duration::rep>(std::chrono::days(1) / series.step(), 1));
  std::vector<double> values;
  for (std::size_t i = 0; i <= count; ++i) {
    const std::size_t before = here + i % day >= day ? here + i % day - day : here;
    const double value = i == 0 ? last : series.values()[std::min(before, here)];
    values.push_back(!signal::IsMissing(value) ? value : values.empty() ? 0.0 : values.back());
  }
  return values;
}

std::vector<double> RecordedSignal::Ahead(Instant now, Duration slot, std::size_t count) {
  const auto& series = signal_.series;
  const Instant t = replay_.ToSignal(now);
  const double step = static_cast<double>(series.step().count());
  const double length = replay_.speed * static_cast<double>(slot.count());
  const double most = static_cast<double>(kLongestAhead.count());
  // How far into the present step we are, or beyond the last that is known.
  const double offset = static_cast<double>((t - series.TimeOf(IndexAt(t))).count());
  const double until = std::min(offset + length * static_cast<double>(count), most);
  const std::vector<double> steps = Steps(t, static_cast<std::size_t>(std::ceil(until / step)) + 1);
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
  const auto& series = signal_.series;
  const std::size_t here = IndexAt(replay_.ToSignal(now));
  const auto day = static_cast<std::size_t>(std::max<Duration::rep>(std::chrono::days(1) / series.step(), 1));
  double highest = 0.0;
  for (std::size_t i = here >= day ? here - day : 0; i <= here; ++i) {
    if (!signal::IsMissing(series.values()[i])) highest = std::max(highest, series.values()[i]);
  }
  return highest;
}

}  // namespace heliostat::live
