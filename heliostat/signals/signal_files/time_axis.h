#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::signal_files {

// Refuses times before 1900 or after 2300: no signal has such times, but a mistyped date does.
Status RefuseFarTimes(const std::string& file, Instant first, Instant last);

// Turns the times of the rows of a file into an even step. Refuses times that decrease, repeat or follow two different
// steps, and finds the steps without a row. Rows must be added in the order of the file. Not thread-safe.
class TimeAxis {
 public:
  explicit TimeAxis(std::string file) : file_(std::move(file)) {}

  // False when `t` is refused; status() has the reason.
  bool Add(Instant t, std::int64_t line) {
    // The row after a gap is a run of its own with spacing 0, which is also the distance of a repeated time.
    if (rows_ < 2 || runs_.back().rows < 2 || t - last_ != runs_.back().spacing) return AddUneven(t, line);
    last_ = t;
    ++rows_;
    ++runs_.back().rows;
    ++differences_[recent_].count;
    return true;
  }

  // Checks all times together and sets step() and slots(). Call once after the last row; a single row needs
  // `only_step`.
  Status Finish(std::optional<Duration> only_step = std::nullopt);

  const Status& status() const { return status_; }
  // The reason why Add() refused a time. The row is left out, and the next one may be added.
  Error TakeRefusal() {
    Error error = status_.error();
    status_ = {};
    return error;
  }
  bool empty() const { return rows_ == 0; }
  std::size_t rows() const { return rows_; }
  Instant start() const { return runs_.front().start; }
  Instant last() const { return last_; }  // must not be called when empty
  Duration step() const { return step_; }
  // The number of steps from the first row to the last, with or without a row.
  std::size_t slots() const { return slots_; }

  // `cells`, one per row, spread over the slots; missing where a slot has no row. Call after Finish().
  std::vector<double> Spread(std::vector<double> cells) const;

 private:
  struct Difference {
    Duration length;
    std::int64_t count;
    std::int64_t first_line;
  };
  // Consecutive rows that are evenly spaced. An even file is one run.
  struct Run {
    Instant start;
    Duration spacing;
    std::size_t rows;
  };

  bool AddUneven(Instant t, std::int64_t line);
  bool Refuse(std::int64_t line, std::string what, std::string allowed);

  std::string file_;
  std::vector<Run> runs_;
  std::vector<Difference> differences_;  // one per distinct length; an even file has one
  std::size_t recent_ = 0;               // the difference seen last
  Instant last_;
  std::size_t rows_ = 0;
  Duration step_{0};
  std::size_t slots_ = 0;
  Status status_;
};

}  // namespace heliostat::signal_files
