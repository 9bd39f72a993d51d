#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/base/io/http_client.h"
#include "heliostat/signals/provider/quota.h"

namespace heliostat::provider {

// Limits of the retries of one request.
struct RetryPolicy {
  int most_attempts = 4;
  std::chrono::milliseconds first_delay{500};  // doubles with each attempt
  std::chrono::milliseconds longest_delay{30'000};
  std::chrono::milliseconds longest_total{120'000};  // all attempts and waits together
};

// Retries a request until it gets an answer. Retries connection failures, time-outs and the statuses 408, 429 and 5xx,
// after a delay that doubles and is randomised, or after the time in Retry-After. Returns only answers of status 2xx;
// 401 and 403 become kPermissionDenied at once, 404 becomes kNotFound, other 4xx kInvalidArgument. Each attempt counts
// against the quota. `http` and `clock` must outlive it. Not thread-safe.
class RetryingClient final : public io::HttpClient {
 public:
  // `who` begins each message: "provider neso".
  RetryingClient(io::HttpClient& http, Clock& clock, RandomStream random, Quota quota, RetryPolicy policy,
                 std::string who);

  Result<io::HttpResponse> Get(const io::HttpRequest& request) override;

 private:
  Result<io::HttpResponse> GetOnce(const io::HttpRequest& request, std::optional<std::chrono::milliseconds>& asked);
  std::chrono::milliseconds BackOff(int attempt);

  io::HttpClient& http_;
  Clock& clock_;
  RandomStream random_;
  Quota quota_;
  RetryPolicy policy_;
  std::string who_;
};

// Reads the value of Retry-After: "120" or "Sun, 06 Nov 1994 08:49:37 GMT". std::nullopt for other text; zero for a
// date in the past.
std::optional<Duration> ParseRetryAfter(std::string_view text, Instant now);

}  // namespace heliostat::provider
