#pragma once

#include <algorithm>

#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/worker.h"

namespace heliostat::agent {

// A rate limiter: allows RateLimit::burst requests at once, and RateLimit::per_second afterwards. Not thread-safe.
class TokenBucket {
 public:
  TokenBucket(const RateLimit& rate, SteadyTime now) : tokens_(rate.burst), last_(now) {}

  // Takes one token; false when there is none.
  bool Take(const RateLimit& rate, SteadyTime now) {
    tokens_ = TokensAt(rate, now);
    last_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }
  // True when the bucket equals a new one, and can be discarded.
  bool IsFull(const RateLimit& rate, SteadyTime now) const { return TokensAt(rate, now) >= rate.burst; }

 private:
  double TokensAt(const RateLimit& rate, SteadyTime now) const {
    return std::min(rate.burst, tokens_ + Seconds(now - last_).count() * rate.per_second);
  }

  double tokens_;
  SteadyTime last_;
};

}  // namespace heliostat::agent
