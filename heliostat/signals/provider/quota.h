#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/error.h"

namespace heliostat::provider {

// At most `requests` in any `window`. One request per window is a minimum spacing.
struct QuotaLimit {
  int requests = 1;
  Duration window{1};
};

// Keeps us inside a provider's rate limit, so that it need not refuse us. Not thread-safe.
class Quota {
 public:
  // Waits longer than `longest_wait` are refused instead of slept through.
  Quota(Clock& clock, QuotaLimit limit, Duration longest_wait = Duration{120});

  // Sleeps until one more request is allowed and counts it. kUnavailable, and
  // nothing counted, when that would take too long.
  Status Take(const std::string& where);

 private:
  Clock& clock_;
  QuotaLimit limit_;
  Duration longest_wait_;
  std::deque<Instant> taken_;  // the last `requests` of them, oldest first
};

}  // namespace heliostat::provider
