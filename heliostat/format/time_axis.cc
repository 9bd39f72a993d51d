#include "heliostat/format/time_axis.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signal/step_series.h"

namespace heliostat::format {
namespace {

// A file may leave out rows, but one that leaves out more than it has, and more
// than this, has a wrong date in it.
constexpr std::size_t kMostAbsent = 10000;

}  // namespace

bool TimeAxis::Refuse(std::int64_t line, std::string what, std::string allowed) {
  status_ = Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", file_, line), std::move(what), std::move(allowed));
  return false;
}

bool TimeAxis::Add(Instant t, std::int64_t line) {
  if (!times_.empty()) [[likely]] {
    const Duration difference = t - times_.back();
    if (difference <= Duration{0}) {
      return Refuse(line,
                    difference == Duration{0}
                        ? fmt::format("time {} stands twice", FormatInstant(t))
                        : fmt::format("time goes back from {} to {}", FormatInstant(times_.back()), FormatInstant(t)),
                    "times must increase");
    }
    if (recent_ >= differences_.size() || differences_[recent_].length != difference) {
      const auto known = std::ranges::find(differences_, difference, &Difference::length);
      recent_ = static_cast<std::size_t>(known - differences_.begin());
      if (known == differences_.end()) differences_.push_back({difference, 0, line});
    }
    ++differences_[recent_].count;
  }
  times_.push_back(t);
  return true;
}

Status TimeAxis::Finish(std::optional<Duration> only_step) {
  if (!status_) return status_;
  if (times_.empty()) {
    return Fail(ErrorCode::kInvalidArgument, file_, "has a header but no rows", "at least two rows are needed");
  }
  if (differences_.empty()) {
    if (!only_step) {
      return Fail(ErrorCode::kInvalidArgument, file_, "has a single row", "the step shows only from two rows on");
    }
    differences_.push_back({*only_step, 0, 0});
  }
  const auto usual = std::ranges::max_element(differences_, {}, &Difference::count);
  step_ = usual->length;
  std::int64_t holes = 0;
  for (const Difference& other : differences_) {
    const bool is_whole = other.length % step_ == Duration{0};
    if (other.length != step_) holes += other.count;
    // A few holes are rows left out; many are a second step.
    if (is_whole && holes * 10 <= static_cast<std::int64_t>(times_.size()) + 10) continue;
    Refuse(other.first_line,
           fmt::format("steps of {} and {} are mixed", FormatDuration(step_), FormatDuration(other.length)),
           "one even step; rows may be left out, not added");
    return status_;
  }
  slots_ = static_cast<std::size_t>((last() - start()) / step_) + 1;
  if (slots_ - times_.size() > times_.size() + kMostAbsent) {
    const auto longest = std::ranges::max_element(differences_, {}, &Difference::length);
    Refuse(
        longest->first_line,
        fmt::format("leaves out {} rows: {} of {} steps have one", longest->length / step_ - 1, times_.size(), slots_),
        "is the date right?");
  }
  return status_;
}

std::vector<double> TimeAxis::Spread(std::vector<double> cells) const {
  if (slots_ == times_.size()) return cells;
  std::vector<double> spread(slots_, signal::Missing());
  for (std::size_t row = 0; row < times_.size(); ++row) {
    spread[static_cast<std::size_t>((times_[row] - start()) / step_)] = cells[row];
  }
  return spread;
}

}  // namespace heliostat::format
