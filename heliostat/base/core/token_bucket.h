#pragma once

#include <algorithm>
#include <chrono>

namespace heliostat {

// The sustained rate, and how many may come at once.
struct RateLimit {
  double per_second = 0.0;
  double burst = 0.0;
};

// A rate limiter: allows RateLimit::burst requests at once, and RateLimit::per_second afterwards. Times are those of a
// monotonic clock, since any moment. Not thread-safe.
class TokenBucket {
 public:
  using Time = std::chrono::nanoseconds;
  TokenBucket(const RateLimit& rate, Time now) : tokens_(rate.burst), last_(now) {}

  // Takes one token; false when there is none.
  bool Take(const RateLimit& rate, Time now) {
    tokens_ = TokensAt(rate, now);
    last_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }
  // True when the bucket equals a new one, and can be discarded.
  bool IsFull(const RateLimit& rate, Time now) const { return TokensAt(rate, now) >= rate.burst; }

 private:
  double TokensAt(const RateLimit& rate, Time now) const {
    return std::min(rate.burst, tokens_ + std::chrono::duration<double>(now - last_).count() * rate.per_second);
  }

  double tokens_;
  Time last_;
};

}  // namespace heliostat
