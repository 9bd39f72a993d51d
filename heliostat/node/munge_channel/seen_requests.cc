#include "heliostat/node/munge_channel/seen_requests.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::munge_channel {

Status SeenRequests::Take(const Request& request, Instant now) {
  Forget(now);
  const auto refuse = [](std::string what, std::string allowed) {
    return Fail(ErrorCode::kPermissionDenied, "request", std::move(what), std::move(allowed));
  };
  const Duration age = now - request.made;
  const std::string bound =
      fmt::format("within {} of the server's clock: compare the clocks of both hosts", FormatDuration(tolerance_));
  if (age > tolerance_) return refuse(fmt::format("was made {} ago", FormatDuration(age)), bound);
  if (-age > tolerance_) return refuse(fmt::format("was made {} in the future", FormatDuration(-age)), bound);
  if (request.made < earliest_) return refuse("was made before this server began", "ask again");
  if (seen_.count({request.made, request.nonce}) > 0) return refuse("was taken before", "a new request");
  if (seen_.size() >= most_) {
    return Fail(ErrorCode::kUnavailable, "server", fmt::format("has taken {} requests of late", seen_.size()),
                "ask later");
  }
  seen_.emplace(request.made, request.nonce);
  return {};
}

void SeenRequests::Forget(Instant now) {
  while (!seen_.empty() && now - seen_.begin()->first > tolerance_) {
    // Even if the clock is set back.
    earliest_ = std::max(earliest_, seen_.begin()->first + Duration(1));
    seen_.erase(seen_.begin());
  }
}

}  // namespace heliostat::munge_channel
