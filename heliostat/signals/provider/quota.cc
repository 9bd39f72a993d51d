#include "heliostat/signals/provider/quota.h"

#include <fmt/format.h>

#include "heliostat/base/core/check.h"

namespace heliostat::provider {

Quota::Quota(Clock& clock, QuotaLimit limit, Duration longest_wait)
    : clock_(clock), limit_(limit), longest_wait_(longest_wait) {
  Check(limit.requests > 0 && limit.window.count() > 0,
        "a quota needs a positive number of requests and a positive window");
}

Status Quota::Take(const std::string& where) {
  if (taken_.size() == static_cast<std::size_t>(limit_.requests)) {
    // The clock counts whole seconds: the oldest request may have been sent almost a second after its recorded time, so
    // the window ends a second later.
    const Instant free_at = taken_.front() + limit_.window + Duration{1};
    const Duration wait = free_at - clock_.Now();
    if (wait > longest_wait_) {
      return Fail(ErrorCode::kUnavailable, where,
                  fmt::format("its quota of {} requests in {} is used up until {}", limit_.requests,
                              FormatDuration(limit_.window), FormatInstant(free_at)));
    }
    if (wait.count() > 0) clock_.Sleep(wait);
    taken_.pop_front();
  }
  taken_.push_back(clock_.Now());
  return {};
}

}  // namespace heliostat::provider
