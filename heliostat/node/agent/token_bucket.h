#pragma once

#include <algorithm>

#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/worker.h"

namespace heliostat::agent {

// Lets so many through at once and so many a second after that.
class TokenBucket {
 public:
  TokenBucket(const RateLimit& rate, SteadyTime now) : tokens_(rate.burst), last_(now) {}

  // Takes one if there is one.
  bool Take(const RateLimit& rate, SteadyTime now) {
    tokens_ = TokensAt(rate, now);
    last_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }
  // As good as new: nothing is lost when it is forgotten.
  bool IsFull(const RateLimit& rate, SteadyTime now) const { return TokensAt(rate, now) >= rate.burst; }

 private:
  double TokensAt(const RateLimit& rate, SteadyTime now) const {
    return std::min(rate.burst, tokens_ + Seconds(now - last_).count() * rate.per_second);
  }

  double tokens_;
  SteadyTime last_;
};

}  // namespace heliostat::agent
