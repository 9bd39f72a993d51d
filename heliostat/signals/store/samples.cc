#include "heliostat/signals/store/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heliostat::store {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 40;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 24;  // 160 years at 5 minutes

std::int64_t Count(Instant t) { return t.time_since_epoch().count(); }
std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
Instant At(std::int64_t seconds) { return Instant{Duration{seconds}}; }

// Checks times of a possibly damaged file here, so that arithmetic on them cannot overflow.
Result<Sample> Decode(const io::Statement& row) {
  const std::int64_t time = row.Integer(0);
  const std::int64_t length = row.Integer(1);
  const double value = row.Real(2);
  if (std::abs(time) > kFarthest || length <= 0 || length > kFarthest || !std::isfinite(value)) {
    return Fail(ErrorCode::kCorrupt, "signal store",
                fmt::format("holds the value {} at {} for {} s", value, time, length), "restore or remove the file");
  }
  return Sample{{At(time), At(time + length)}, value, row.Integer(3)};
}

// The parts of `old` at times where `fresh` has no known value.
void AppendUntouched(const Sample& old, const signal::StepSeries& fresh, std::vector<Sample>& parts) {
  Instant from = old.span.begin;
  const Interval common = old.span.Intersect(fresh.span());
  for (auto i = static_cast<std::size_t>((common.begin - fresh.start()) / fresh.step());
       i < fresh.size() && fresh.TimeOf(i) < common.end; ++i) {
    if (signal::IsMissing(fresh.values()[i])) continue;
    if (from < fresh.TimeOf(i)) parts.push_back({{from, fresh.TimeOf(i)}, old.value, old.fetch});
    from = fresh.TimeOf(i) + fresh.step();
  }
  if (from < old.span.end) parts.push_back({{from, old.span.end}, old.value, old.fetch});
}

}  // namespace

bool IsStorable(const Interval& span) { return -kFarthest <= Count(span.begin) && Count(span.end) <= kFarthest; }

Status SampleTable::Write(std::int64_t owner, std::int64_t fetch, const signal::StepSeries& series) {
  const auto old = Overlapping(owner, series.span());
  if (!old) return Propagate(old);
  const bool has_other_times = std::ranges::any_of(*old, [&](const Sample& sample) {
    return sample.span.length() != series.step() || (sample.span.begin - series.start()) % series.step() != Duration{0};
  });
  if (has_other_times) {
    std::vector<Sample> kept;
    for (const Sample& sample : *old) AppendUntouched(sample, series, kept);
    if (auto done = Delete(owner, *old); !done) return done;
    if (auto done = Insert(owner, kept); !done) return done;
  }
  std::vector<Sample> fresh;
  fresh.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (signal::IsMissing(series.values()[i])) continue;
    fresh.push_back({{series.TimeOf(i), series.TimeOf(i) + series.step()}, series.values()[i], fetch});
  }
  return Insert(owner, fresh);
}

Status SampleTable::Delete(std::int64_t owner, const std::vector<Sample>& samples) {
  auto statement = database_->Prepare(fmt::format("DELETE FROM {} WHERE owner = ? AND time = ?", name_));
  if (!statement) return Propagate(statement);
  for (const Sample& sample : samples) {
    if (auto done = statement->Bind(owner, Count(sample.span.begin)).Run(); !done) return done;
  }
  return {};
}

Status SampleTable::Insert(std::int64_t owner, const std::vector<Sample>& samples) {
  auto statement = database_->Prepare(
      fmt::format("INSERT OR REPLACE INTO {} (owner, time, length, value, fetch) VALUES (?, ?, ?, ?, ?)", name_));
  if (!statement) return Propagate(statement);
  for (const Sample& sample : samples) {
    auto done = statement
                    ->Bind(owner, Count(sample.span.begin), std::int64_t{sample.span.length().count()}, sample.value,
                           sample.fetch)
                    .Run();
    if (!done) return done;
  }
  return {};
}

Result<std::vector<Sample>> SampleTable::Overlapping(std::int64_t owner, const Interval& interval) {
  // Samples do not overlap: of those that start before the interval, only the last can reach into it.
  auto statement = database_->Prepare(
      fmt::format("SELECT time, length, value, fetch FROM {0} WHERE owner = ?1 AND time < ?3 AND time >= "
                  "coalesce((SELECT max(time) FROM {0} WHERE owner = ?1 AND time < ?2), ?2) ORDER BY time",
                  name_));
  if (!statement) return Propagate(statement);
  statement->Bind(owner, Count(interval.begin), Count(interval.end));
  std::vector<Sample> samples;
  while (true) {
    const auto row = statement->Step();
    if (!row) return Propagate(row);
    if (!*row) return samples;
    const auto sample = Decode(*statement);
    if (!sample) return Propagate(sample);
    if (sample->span.end > interval.begin) samples.push_back(*sample);
  }
}

Result<std::optional<Sample>> SampleTable::NewestBefore(std::int64_t owner, Instant t) {
  auto statement = database_->Prepare(fmt::format(
      "SELECT time, length, value, fetch FROM {} WHERE owner = ? AND time < ? ORDER BY time DESC LIMIT 1", name_));
  if (!statement) return Propagate(statement);
  const auto row = statement->Bind(owner, Count(t)).Step();
  if (!row) return Propagate(row);
  if (!*row) return std::optional<Sample>();
  const auto sample = Decode(*statement);
  if (!sample) return Propagate(sample);
  return std::optional(*sample);
}

Result<std::optional<signal::StepSeries>> Assemble(const std::vector<Sample>& samples, const Interval& interval) {
  if (samples.empty()) return std::optional<signal::StepSeries>();
  const Instant first = samples.front().span.begin;
  std::int64_t common = samples.front().span.length().count();
  for (const Sample& sample : samples) {
    common = std::gcd(common, sample.span.length().count());
    common = std::gcd(common, (sample.span.begin - first).count());
  }
  const Duration step{common};
  const Instant start = first + step * FloorDivide((interval.begin - first).count(), common);
  const std::int64_t size = FloorDivide((interval.end - start).count() - 1, common) + 1;
  if (size > kMostSteps) {
    return Fail(ErrorCode::kInvalidArgument, "signal store",
                fmt::format("the requested span has {} steps of {}", size, FormatDuration(step)),
                fmt::format("at most {}; request a shorter span", kMostSteps));
  }
  std::vector<double> values(static_cast<std::size_t>(size), signal::Missing());
  const Interval whole{start, start + step * size};
  for (const Sample& sample : samples) {
    const Interval inside = sample.span.Intersect(whole);
    const auto at = values.begin() + (inside.begin - start) / step;
    std::fill(at, at + inside.length() / step, sample.value);
  }
  auto series = signal::StepSeries::Make(start, step, std::move(values));
  if (!series) return Propagate(series);
  return std::optional(std::move(*series));
}

}  // namespace heliostat::store
