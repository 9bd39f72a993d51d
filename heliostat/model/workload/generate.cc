#include "heliostat/model/workload/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heliostat/base/core/units.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

// The most jobs, so that a typing error does not fill the memory.
constexpr std::size_t kMostJobs = 2'000'000;
constexpr Duration kShortestSpan = 5min;
// The most that the length and the window of one job may take, as shares of the span.
constexpr double kLongestShare = 0.6;
constexpr double kLongestWindowShare = 0.95;
// Room for rounding to whole seconds.
constexpr double kMinuteInHours = 1.0 / 60.0;

double InHours(Duration length) { return Seconds(length).count() / 3600.0; }
Duration FromHours(double hours) { return Duration{std::llround(hours * 3600.0)}; }

// The weight of the arrival process per hour, from the begin of the span.
class ArrivalClock {
 public:
  explicit ArrivalClock(const Crowd& crowd) : begin_(crowd.span.begin) {
    const auto hours = static_cast<std::size_t>(std::ceil(InHours(crowd.span.length())));
    sums_.reserve(hours + 1);
    sums_.push_back(0.0);
    for (std::size_t i = 0; i < hours; ++i) {
      // The weight of an hour is that of its middle, because spans need not begin on the hour.
      const Instant local = begin_ + crowd.local_offset + Duration{3600 * static_cast<std::int64_t>(i) + 1800};
      const auto day = std::chrono::floor<std::chrono::days>(local);
      const auto hour = static_cast<std::size_t>((local - day) / 1h);
      const std::size_t weekday = std::chrono::weekday{day}.iso_encoding() - 1;
      sums_.push_back(sums_.back() + crowd.arrivals.by_hour[hour] * crowd.arrivals.by_weekday[weekday]);
    }
  }

  // Where `share` of the weight before `latest` (in hours) has passed.
  Duration At(double share, double latest) const {
    const double wanted = share * SumBefore(latest);
    const auto after = std::ranges::upper_bound(sums_, wanted);
    const auto hour = std::max<std::ptrdiff_t>(after - sums_.begin() - 1, 0);
    if (after == sums_.end()) return FromHours(latest);
    const double weight = *after - sums_[static_cast<std::size_t>(hour)];
    const double into = (wanted - sums_[static_cast<std::size_t>(hour)]) / weight;
    return std::min(FromHours(static_cast<double>(hour) + into), FromHours(latest));
  }

 private:
  double SumBefore(double hours) const {
    const auto whole = static_cast<std::size_t>(std::clamp(hours, 0.0, static_cast<double>(sums_.size() - 1)));
    if (whole + 1 >= sums_.size()) return sums_.back();
    return sums_[whole] + (hours - static_cast<double>(whole)) * (sums_[whole + 1] - sums_[whole]);
  }

  Instant begin_;
  std::vector<double> sums_;
};

// A job without its arrival time.
struct Draft {
  double hours = 0.0;
  int gpus = 1;
  double slack = 1.0;
  bool is_best_effort = false;
  double share = 0.0;  // of the weight of arrivals

  double gpu_hours() const { return hours * gpus; }
};

double DrawHours(const Lengths& lengths, RandomStream& random) {
  double hours = lengths.median_hours * std::exp(random.Normal(0.0, lengths.spread));
  const bool is_tail = random.Chance(lengths.tail_share);
  const double rank = 1.0 - random.Uniform();  // (0, 1]
  if (is_tail) hours = lengths.tail_from_hours * std::pow(rank, -1.0 / lengths.tail_exponent);
  return std::clamp(hours, lengths.shortest_hours, lengths.longest_hours);
}

int DrawGpus(const std::vector<double>& weights, RandomStream& random) {
  double left = random.Uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  int gpus = 1;
  for (std::size_t i = 0; i + 1 < weights.size() && left >= weights[i]; ++i) {
    left -= weights[i];
    gpus *= 2;
  }
  return gpus;
}

Draft DrawJob(const Crowd& crowd, RandomStream random) {
  Draft draft;
  draft.hours = std::min(DrawHours(crowd.lengths, random), kLongestShare * InHours(crowd.span.length()));
  draft.gpus = DrawGpus(crowd.gpu_weights, random);
  draft.slack = DrawSlack(crowd.least_slack, crowd.slack, random);
  draft.is_best_effort = random.Chance(crowd.best_effort);
  draft.share = random.Uniform();
  return draft;
}

// Scales all lengths by one factor until they sum up to `gpu_hours`, or until none may grow.
void StretchTo(double gpu_hours, const Crowd& crowd, std::vector<Draft>& drafts) {
  const double longest = kLongestShare * InHours(crowd.span.length());
  const auto total = [&](double factor) {
    double sum = 0.0;
    for (const Draft& draft : drafts) sum += std::min(draft.hours * factor, longest) * draft.gpus;
    return sum;
  };
  double low = 0.0;
  double high = 1.0;
  while (total(high) < gpu_hours && high < 1e6) high *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2.0;
    (total(middle) < gpu_hours ? low : high) = middle;
  }
  for (Draft& draft : drafts) draft.hours = std::min(draft.hours * high, longest);
}

std::vector<Draft> DrawJobs(const Crowd& crowd) {
  const RandomStream random = RandomStream(crowd.seed).Split("crowd");
  std::vector<Draft> drafts;
  double asked = 0.0;
  const std::size_t most = crowd.jobs.value_or(kMostJobs);
  for (std::size_t i = 0; i < most; ++i) {
    if (!crowd.jobs && asked >= *crowd.gpu_hours) break;
    drafts.push_back(DrawJob(crowd, random.Split(i)));
    asked += drafts.back().gpu_hours();
  }
  if (!crowd.gpu_hours || drafts.empty()) return drafts;
  if (crowd.jobs) {
    StretchTo(*crowd.gpu_hours, crowd, drafts);
  } else if (asked > *crowd.gpu_hours) {
    Draft& last = drafts.back();
    last.hours -= (asked - *crowd.gpu_hours) / last.gpus;
    if (last.hours < crowd.lengths.shortest_hours) drafts.pop_back();
  }
  return drafts;
}

Status Refuse(std::string what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, "made jobs", std::move(what), std::move(allowed));
}

bool AreWeights(std::span<const double> weights, bool may_be_zero) {
  double sum = 0.0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0.0 || (weight == 0.0 && !may_be_zero)) return false;
    sum += weight;
  }
  return sum > 0.0;
}

Status ValidateLengths(const Lengths& lengths) {
  const bool are_positive = lengths.median_hours > 0.0 && lengths.tail_from_hours > 0.0 &&
                            lengths.tail_exponent > 0.0 && lengths.shortest_hours > 0.0 && lengths.spread >= 0.0;
  const bool are_finite = std::isfinite(lengths.median_hours + lengths.spread + lengths.tail_from_hours +
                                        lengths.tail_exponent + lengths.longest_hours);
  if (!are_positive || !are_finite || lengths.longest_hours < lengths.shortest_hours) {
    return Refuse("a length is not positive, or the longest is shorter than the shortest", "lengths must be hours");
  }
  return {};
}

Status Validate(const Crowd& crowd) {
  if (!crowd.jobs && !crowd.gpu_hours)
    return Refuse("neither the number of jobs nor the GPU-hours are set", "set one of them");
  if (crowd.jobs.value_or(0) > kMostJobs) {
    return Refuse(fmt::format("{} jobs", *crowd.jobs), fmt::format("must be at most {}", kMostJobs));
  }
  const double gpu_hours = crowd.gpu_hours.value_or(0.0);
  if (!std::isfinite(gpu_hours) || gpu_hours < 0.0) {
    return Refuse(fmt::format("{} GPU-hours", gpu_hours), "must be 0 or more");
  }
  if (crowd.span.length() < kShortestSpan) {
    return Refuse(fmt::format("a span of {} s", crowd.span.length().count()),
                  fmt::format("must be {} or more", FormatDuration(kShortestSpan)));
  }
  if (!AreWeights(crowd.arrivals.by_hour, false) || !AreWeights(crowd.arrivals.by_weekday, false)) {
    return Refuse("an hour or a day has no weight", "weights of arrivals must be more than 0");
  }
  if (!AreWeights(crowd.gpu_weights, true) || crowd.gpu_weights.size() > 16) {
    return Refuse("weights of GPU counts", "must be 1 to 16, 0 or more, and not all 0");
  }
  if (!(crowd.least_slack >= 1.0) || !(crowd.slack >= crowd.least_slack) || !std::isfinite(crowd.slack)) {
    return Refuse(fmt::format("a slack of {}", crowd.slack), fmt::format("must be {} or more", crowd.least_slack));
  }
  if (!(crowd.best_effort >= 0.0 && crowd.best_effort <= 1.0)) {
    return Refuse(fmt::format("a best-effort share of {}", crowd.best_effort), "must be from 0 to 1");
  }
  return ValidateLengths(crowd.lengths);
}

}  // namespace

double DrawSlack(double least, double mean, RandomStream& random) {
  return least + random.Exponential(std::max(mean - least, 0.0));
}

Result<Trace> Generate(const Crowd& crowd) {
  if (const auto bad = Validate(crowd); !bad) return Propagate(bad);
  const double span_hours = InHours(crowd.span.length());
  const ArrivalClock clock(crowd);
  Trace trace{.name = fmt::format("made-{}", crowd.seed), .jobs = {}};
  for (const Draft& draft : DrawJobs(crowd)) {
    const double window =
        draft.is_best_effort ? draft.hours : std::min(draft.hours * draft.slack, kLongestWindowShare * span_hours);
    TraceJob job{.id = fmt::format("j{:05}", trace.jobs.size()),
                 .submit = clock.At(draft.share, std::max(span_hours - window - kMinuteInHours, 0.0)),
                 .length = std::max(FromHours(draft.hours), Duration{1}),
                 .gpus = draft.gpus};
    job.is_best_effort = draft.is_best_effort;
    if (!job.is_best_effort) job.deadline = FromHours(window);
    trace.jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(trace.jobs, {}, &TraceJob::submit);
  return trace;
}

}  // namespace heliostat::workload
