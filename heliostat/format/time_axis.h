#pragma once

#include <string>
#include <vector>

#include "heliostat/core/error.h"
#include "heliostat/core/time.h"

namespace heliostat::format {

// Turns the times of a file's rows into an even step: refuses times that go
// back, stand twice or keep two different steps, and finds the steps without a
// row. Rows must be added in file order.
class TimeAxis {
 public:
  TimeAxis(std::string file, std::size_t expected_rows) : file_(std::move(file)) { times_.reserve(expected_rows); }

  // False when `t` is refused; status() says why.
  bool Add(Instant t, std::int64_t line);

  // Looks at all times together. Call once after the last row; a single row needs `only_step`.
  Status Finish(std::optional<Duration> only_step = std::nullopt);

  const Status& status() const { return status_; }
  const std::vector<Instant>& times() const { return times_; }
  Instant last() const { return times_.back(); }
  Instant start() const { return times_.front(); }
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

  bool Refuse(std::int64_t line, std::string what, std::string allowed);

  std::string file_;
  std::vector<Instant> times_;
  std::vector<Difference> differences_;  // few: an even file has one
  std::size_t recent_ = 0;               // the difference seen last
  Duration step_{0};
  std::size_t slots_ = 0;
  Status status_;
};

}  // namespace heliostat::format
