#include "heliostat/signals/signal_files/time_axis.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal_files {
namespace {

// A file may omit rows. One that omits more than it has, and more than this number, has a wrong date.
constexpr std::size_t kMostAbsent = 10000;

}  // namespace

Status RefuseFarTimes(const std::string& file, Instant first, Instant last) {
  constexpr Instant kEarliest{std::chrono::sys_days{std::chrono::year{1900} / 1 / 1}};
  constexpr Instant kLatest{std::chrono::sys_days{std::chrono::year{2300} / 1 / 1}};
  if (first >= kEarliest && last < kLatest) return {};
  return Fail(ErrorCode::kInvalidArgument, file,
              fmt::format("has times from {} to {}", FormatInstant(first), FormatInstant(last)),
              "times must be from 1900 to 2300; a date may be wrong");
}

bool TimeAxis::Refuse(std::int64_t line, std::string what, std::string allowed) {
  status_ = Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", file_, line), std::move(what), std::move(allowed));
  return false;
}

// Adds one of the first two rows, or a row whose distance to the row before differs from the distance before that.
bool TimeAxis::AddUneven(Instant t, std::int64_t line) {
  if (rows_ == 0) {
    runs_.push_back({t, Duration{0}, 1});
  } else {
    const Duration difference = t - last_;
    if (difference <= Duration{0}) {
      return Refuse(line,
                    difference == Duration{0}
                        ? fmt::format("time {} is repeated", FormatInstant(t))
                        : fmt::format("time decreases from {} to {}", FormatInstant(last_), FormatInstant(t)),
                    "times must increase");
    }
    const auto known = std::ranges::find(differences_, difference, &Difference::length);
    recent_ = static_cast<std::size_t>(known - differences_.begin());
    if (known == differences_.end()) differences_.push_back({difference, 0, line});
    ++differences_[recent_].count;
    // A single row takes its spacing from the next one; otherwise the row begins a run.
    if (runs_.back().rows == 1) {
      runs_.back().spacing = difference;
      ++runs_.back().rows;
    } else {
      runs_.push_back({t, Duration{0}, 1});
    }
  }
  last_ = t;
  ++rows_;
  return true;
}

Status TimeAxis::Finish(std::optional<Duration> only_step) {
  if (!status_) return status_;
  if (rows_ == 0) {
    return Fail(ErrorCode::kInvalidArgument, file_, "has a header but no rows", "at least two rows are needed");
  }
  if (differences_.empty()) {
    if (!only_step) {
      return Fail(ErrorCode::kInvalidArgument, file_, "has a single row",
                  "at least two rows are needed to find the step");
    }
    differences_.push_back({*only_step, 0, 0});
  }
  const auto usual = std::ranges::max_element(differences_, {}, &Difference::count);
  step_ = usual->length;
  std::int64_t holes = 0;
  for (const Difference& other : differences_) {
    const bool is_whole = other.length % step_ == Duration{0};
    if (other.length != step_) holes += other.count;
    // A few gaps are omitted rows; many are a second step.
    if (is_whole && holes * 10 <= static_cast<std::int64_t>(rows_) + 10) continue;
    Refuse(other.first_line,
           fmt::format("steps of {} and {} are mixed", FormatDuration(step_), FormatDuration(other.length)),
           "one even step; rows may be omitted, not added");
    return status_;
  }
  slots_ = static_cast<std::size_t>((last() - start()) / step_) + 1;
  if (slots_ - rows_ > rows_ + kMostAbsent) {
    const auto longest = std::ranges::max_element(differences_, {}, &Difference::length);
    Refuse(longest->first_line,
           fmt::format("omits {} rows: {} of {} steps have one", longest->length / step_ - 1, rows_, slots_),
           "the date may be wrong");
  }
  if (status_) status_ = RefuseFarTimes(file_, start(), last());
  return status_;
}

std::vector<double> TimeAxis::Spread(std::vector<double> cells) const {
  if (slots_ == rows_) return cells;
  std::vector<double> spread(slots_, signal::Missing());
  std::size_t row = 0;
  for (const Run& run : runs_) {
    for (std::size_t i = 0; i < run.rows; ++i) {
      const Instant t = run.start + run.spacing * static_cast<std::int64_t>(i);
      spread[static_cast<std::size_t>((t - start()) / step_)] = cells[row++];
    }
  }
  return spread;
}

}  // namespace heliostat::signal_files
