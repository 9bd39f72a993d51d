#include "heliostat/signals/signal/step_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

namespace heliostat::signal {
namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 28;  // 2500 years at 5 minutes

std::string Text(const Interval& interval) {
  return fmt::format("[{}, {})", FormatInstant(interval.begin), FormatInstant(interval.end));
}

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The last multiple of `step` since `origin` that is not after `t`.
Instant FloorTo(Instant t, Duration step, Instant origin) {
  return origin + step * FloorDivide((t - origin).count(), step.count());
}

Status RefuseStep(Duration step) {
  if (step.count() > 0) return {};
  return Fail(ErrorCode::kInvalidArgument, "series", fmt::format("step is {} s", step.count()), "must be positive");
}

// True when no value is missing or infinite, as in most series. Four lanes, which the compiler vectorises: x - x is 0
// only for finite x.
bool AllAreFinite(const std::vector<double>& values) {
  std::array<double, 4> differences{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) differences[lane] += values[i + lane] - values[i + lane];
  }
  for (; i < values.size(); ++i) differences[0] += values[i] - values[i];
  return differences[0] + differences[1] + differences[2] + differences[3] == 0;
}

// The sum of all values before an index, as the unevaluated sum of two doubles: plain running sums over a year lose the
// digits that small differences need.
struct Sum {
  double high = 0;
  double low = 0;

  void Add(double value) {
    const double total = high + value;  // Knuth's two-sum: `low` collects the rounding errors of `high`
    const double shifted = total - high;
    low += (high - (total - shifted)) + (value - shifted);
    high = total;
  }
};

}  // namespace

// Most series are never integrated, so the running sums are made at the first integration.
struct StepSeries::Samples {
  explicit Samples(std::vector<double> samples) : values(std::move(samples)), all_are_finite(AllAreFinite(values)) {
    if (!all_are_finite) missing = static_cast<std::size_t>(std::ranges::count_if(values, IsMissing));
  }

  struct Sums {
    std::vector<Sum> before;                    // size + 1, missing counted as 0
    std::vector<std::uint32_t> missing_before;  // size + 1
  };
  const Sums& sums() const {
    std::call_once(is_summed_, [this] {
      sums_.before.reserve(values.size() + 1);
      sums_.missing_before.reserve(values.size() + 1);
      Sum sum;
      std::uint32_t gaps = 0;
      for (const double value : values) {
        sums_.before.push_back(sum);
        sums_.missing_before.push_back(gaps);
        if (IsMissing(value)) {
          ++gaps;
        } else {
          sum.Add(value);
        }
      }
      sums_.before.push_back(sum);
      sums_.missing_before.push_back(gaps);
    });
    return sums_;
  }

  std::vector<double> values;
  bool all_are_finite;  // none missing, none infinite
  std::size_t missing = 0;

 private:
  mutable std::once_flag is_summed_;
  mutable Sums sums_;
};

Result<StepSeries> StepSeries::Make(Instant start, Duration step, std::vector<double> values) {
  if (const auto bad = RefuseStep(step); !bad) return Propagate(bad);
  if (values.empty()) return Fail(ErrorCode::kInvalidArgument, "series", "has no values", "at least one is needed");
  if (values.size() > kMostSamples) {
    return Fail(ErrorCode::kInvalidArgument, "series", fmt::format("has {} values", values.size()),
                fmt::format("at most {}", kMostSamples));
  }
  StepSeries series(start, step, std::move(values));
  if (series.samples_->all_are_finite) [[likely]]
    return series;
  const auto& samples = series.values();
  const auto infinite = std::ranges::find_if(samples, [](double v) { return std::isinf(v); });
  if (infinite == samples.end()) return series;
  return Fail(ErrorCode::kInvalidArgument, "series",
              fmt::format("value at {} is infinite", FormatInstant(start + step * (infinite - samples.begin()))),
              "must be finite or missing");
}

StepSeries::StepSeries(Instant start, Duration step, std::vector<double> values)
    : start_(start), step_(step), samples_(std::make_shared<Samples>(std::move(values))) {}

const std::vector<double>& StepSeries::values() const { return samples_->values; }

std::size_t StepSeries::missing() const { return samples_->missing; }

Status StepSeries::RefuseOutside(const Interval& interval) const {
  if (interval.begin <= interval.end && span().Contains(interval)) [[likely]]
    return {};
  return Fail(ErrorCode::kInvalidArgument, "series", fmt::format("{} is outside the series", Text(interval)),
              fmt::format("it covers {}", Text(span())));
}

bool StepSeries::HasMissing(std::size_t first, std::size_t last) const {
  if (samples_->missing == 0) [[likely]]
    return false;
  const auto& before = samples_->sums().missing_before;
  return before[first] != before[last + 1];
}

// Refuses when any sample of [first, last] is missing.
Status StepSeries::RefuseMissing(std::size_t first, std::size_t last) const {
  if (!HasMissing(first, last)) [[likely]]
    return {};
  while (!IsMissing(values()[first])) ++first;
  return Fail(ErrorCode::kInvalidArgument, "series",
              fmt::format("value at {} is missing", FormatInstant(TimeOf(first))), "fill the gap first");
}

Result<double> StepSeries::At(Instant t) const {
  if (const auto bad = RefuseOutside({t, t + Duration{1}}); !bad) return Propagate(bad);
  const std::size_t i = IndexOf(t);
  if (const auto bad = RefuseMissing(i, i); !bad) return Propagate(bad);
  return values()[i];
}

Result<double> StepSeries::Integrate(const Interval& interval) const {
  if (const auto bad = RefuseOutside(interval); !bad) return Propagate(bad);
  if (interval.begin == interval.end) return 0.0;
  const std::size_t first = IndexOf(interval.begin);
  const std::size_t last = IndexOf(interval.end - Duration{1});
  if (const auto bad = RefuseMissing(first, last); !bad) return Propagate(bad);
  if (first == last) return values()[first] * static_cast<double>(interval.length().count());

  const auto head = static_cast<double>((TimeOf(first + 1) - interval.begin).count());
  const auto tail = static_cast<double>((interval.end - TimeOf(last)).count());
  const auto& sums = samples_->sums().before;
  const Sum& from = sums[first + 1];
  const Sum& to = sums[last];
  const double whole = (to.high - from.high) + (to.low - from.low);
  return values()[first] * head + whole * static_cast<double>(step_.count()) + values()[last] * tail;
}

Result<double> StepSeries::Mean(const Interval& interval) const {
  if (interval.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "series", "the interval of a mean is empty", "must be longer than zero");
  }
  auto integral = Integrate(interval);
  if (integral) *integral /= static_cast<double>(interval.length().count());
  return integral;
}

Result<StepSeries> StepSeries::Slice(const Interval& interval) const {
  if (const auto bad = RefuseOutside(interval); !bad) return Propagate(bad);
  const bool on_samples = (interval.begin - start_) % step_ == Duration{0} && interval.length() % step_ == Duration{0};
  if (interval.empty() || !on_samples) {
    return Fail(ErrorCode::kInvalidArgument, "series", fmt::format("cannot cut at {}", Text(interval)),
                fmt::format("both ends must be sample times: {} and every {} after", FormatInstant(start_),
                            FormatDuration(step_)));
  }
  const auto first = values().begin() + (interval.begin - start_) / step_;
  return StepSeries(interval.begin, step_, std::vector<double>(first, first + interval.length() / step_));
}

Result<StepSeries> StepSeries::Resample(Duration step, Instant origin) const {
  if (const auto bad = RefuseStep(step); !bad) return Propagate(bad);
  const Instant from = FloorTo(start_ + step - Duration{1}, step, origin);
  const Instant to = FloorTo(end(), step, origin);
  if (to <= from) {
    return Fail(ErrorCode::kInvalidArgument, "series",
                fmt::format("{} holds no whole {}", Text(span()), FormatDuration(step)), "choose a shorter step");
  }
  if (step == step_ && from == start_) return *this;
  std::vector<double> resampled;
  resampled.reserve(static_cast<std::size_t>((to - from) / step));
  for (Instant t = from; t < to; t += step) {
    const std::size_t first = IndexOf(t);
    const std::size_t last = IndexOf(t + step - Duration{1});
    if (HasMissing(first, last)) {
      resampled.push_back(Missing());
    } else {
      resampled.push_back(first == last ? values()[first] : *Mean({t, t + step}));
    }
  }
  return StepSeries(from, step, std::move(resampled));
}

StepSeries StepSeries::Scaled(double factor) const {
  std::vector<double> scaled = values();
  for (double& value : scaled) value *= factor;
  return {start_, step_, std::move(scaled)};
}

Result<StepSeries> Join(std::span<const StepSeries> parts, Overlap overlap) {
  if (parts.empty())
    return Fail(ErrorCode::kInvalidArgument, "series", "there are no series to join", "at least one is needed");
  const Duration step = parts.front().step();
  Instant start = parts.front().start();
  Instant end = parts.front().end();
  for (const StepSeries& part : parts) {
    if (part.step() != step || (part.start() - start) % step != Duration{0}) {
      return Fail(ErrorCode::kInvalidArgument, "series",
                  fmt::format("the part from {} has other sample times than the first (every {} from {})",
                              FormatInstant(part.start()), FormatDuration(step), FormatInstant(parts.front().start())),
                  "resample the parts to one step first");
    }
    start = std::min(start, part.start());
    end = std::max(end, part.end());
  }
  std::vector<double> values(static_cast<std::size_t>((end - start) / step), Missing());
  for (const StepSeries& part : parts) {
    const auto offset = static_cast<std::size_t>((part.start() - start) / step);
    for (std::size_t i = 0; i < part.size(); ++i) {
      double& slot = values[offset + i];
      const double value = part.values()[i];
      if (IsMissing(value)) continue;
      if (!IsMissing(slot) && slot != value && overlap == Overlap::kMustAgree) {
        return Fail(ErrorCode::kInvalidArgument, "series",
                    fmt::format("two parts disagree at {}: {} and {}", FormatInstant(part.TimeOf(i)), slot, value),
                    std::string(kPartsMustAgree));
      }
      if (IsMissing(slot) || overlap == Overlap::kLastWins) slot = value;
    }
  }
  return StepSeries::Make(start, step, std::move(values));
}

}  // namespace heliostat::signal
