#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::job_length {

// The median of all lengths so far; the lower of the middle two where their number is even.
class RunningMedian {
 public:
  void Add(Duration length);
  // Nothing before the first length.
  std::optional<Duration> Value() const;

 private:
  std::priority_queue<Duration> lower_;
  std::priority_queue<Duration, std::vector<Duration>, std::greater<>> upper_;
};

}  // namespace heliostat::job_length
