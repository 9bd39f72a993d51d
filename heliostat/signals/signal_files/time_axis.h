#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::signal_files {

// Refuses times before 1900 or after 2300: no signal is from then, but a date
// with a wrong digit is.
Status RefuseFarTimes(const std::string& file, Instant first, Instant last);

// Turns the times of a file's rows into an even step: refuses times that go
// back, stand twice or keep two different steps, and finds the steps without a
// row. Rows must be added in file order.
class TimeAxis {
 public:
  explicit TimeAxis(std::string file) : file_(std::move(file)) {}

  // False when `t` is refused; status() says why.
  bool Add(Instant t, std::int64_t line) {
    // The row behind a gap stands alone, and its spacing of 0 is that of a time that stands twice.
    if (rows_ < 2 || runs_.back().rows < 2 || t - last_ != runs_.back().spacing) return AddUneven(t, line);
    last_ = t;
    ++rows_;
    ++runs_.back().rows;
    ++differences_[recent_].count;
    return true;
  }

  // Looks at all times together. Call once after the last row; a single row needs `only_step`.
  Status Finish(std::optional<Duration> only_step = std::nullopt);

  const Status& status() const { return status_; }
  bool empty() const { return rows_ == 0; }
  std::size_t rows() const { return rows_; }
  Instant start() const { return runs_.front().start; }
  Instant last() const { return last_; }  // only when not empty
  Duration step() const { return step_; }
  // Steps from the first row to the last, with or without a row.
  std::size_t slots() const { return slots_; }

  // `cells` of the rows spread over the slots; missing where there is no row.
  std::vector<double> Spread(std::vector<double> cells) const;

 private:
  struct Difference {
    Duration length;
    std::int64_t count;
    std::int64_t first_line;
  };
  // Rows that are evenly spaced. An even file is one run, whatever its length.
  struct Run {
    Instant start;
    Duration spacing;
    std::size_t rows;
  };

  bool AddUneven(Instant t, std::int64_t line);
  bool Refuse(std::int64_t line, std::string what, std::string allowed);

  std::string file_;
  std::vector<Run> runs_;
  std::vector<Difference> differences_;  // few: an even file has one
  std::size_t recent_ = 0;               // the difference seen last
  Instant last_;
  std::size_t rows_ = 0;
  Duration step_{0};
  std::size_t slots_ = 0;
  Status status_;
};

}  // namespace heliostat::signal_files
