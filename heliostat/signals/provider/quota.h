#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/error.h"

namespace heliostat::provider {

// At most `requests` in any `window`. One request per window is a minimum distance. Both must be above zero.
struct QuotaLimit {
  int requests = 1;
  Duration window{1};
};

// Delays requests to stay below the rate limit of a provider. `clock` must outlive the quota. Not thread-safe.
class Quota {
 public:
  // Take() fails instead of waiting longer than `longest_wait`.
  Quota(Clock& clock, QuotaLimit limit, Duration longest_wait = Duration{120});

  // Sleeps until one more request is allowed and counts it. kUnavailable, without counting, when the wait would be too
  // long.
  Status Take(const std::string& where);

 private:
  Clock& clock_;
  QuotaLimit limit_;
  Duration longest_wait_;
  std::deque<Instant> taken_;  // times of the last `requests` requests, oldest first
};

}  // namespace heliostat::provider
