#include "heliostat/forecasting/job_length/running_median.h"

namespace heliostat::job_length {

void RunningMedian::Add(Duration length) {
  if (lower_.empty() || length <= lower_.top()) {
    lower_.push(length);
  } else {
    upper_.push(length);
  }
  if (lower_.size() > upper_.size() + 1) {
    upper_.push(lower_.top());
    lower_.pop();
  } else if (upper_.size() > lower_.size()) {
    lower_.push(upper_.top());
    upper_.pop();
  }
}

std::optional<Duration> RunningMedian::Value() const {
  return lower_.empty() ? std::nullopt : std::optional(lower_.top());
}

}  // namespace heliostat::job_length
