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

struct RetryPolicy {
  int most_attempts = 4;
  std::chrono::milliseconds first_delay{500};  // doubles with every attempt
  std::chrono::milliseconds longest_delay{30'000};
  std::chrono::milliseconds longest_total{120'000};  // of all attempts and waits together
};

// Asks until there is an answer: connection failures, time-outs, 408, 429 and 5xx
// are tried again after a back-off that doubles and is spread by chance, or after
// the time that Retry-After names. Returns answers of status 2xx only; 401 and
// 403 become kPermissionDenied, 404 kNotFound and other 4xx kInvalidArgument at
// once. Every attempt counts against the quota. Not thread-safe.
class RetryingClient final : public io::HttpClient {
 public:
  // `who` stands in messages: "provider neso".
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

// What Retry-After asks for: "120" or "Sun, 06 Nov 1994 08:49:37 GMT". Nothing
// when it is neither; zero for a date gone by.
std::optional<Duration> ParseRetryAfter(std::string_view text, Instant now);

}  // namespace heliostat::provider
