#include "heliostat/signals/provider/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heliostat/base/io/number.h"

namespace heliostat::provider {
namespace {

using std::chrono::milliseconds;

bool IsTransient(int status) { return status == 408 || status == 429 || status >= 500; }

Error ErrorOf(int status, const std::string& who) {
  Error error{ErrorCode::kInvalidArgument, who, fmt::format("answers with HTTP status {}", status), {}};
  if (status == 401 || status == 403) {
    error.code = ErrorCode::kPermissionDenied;
    error.allowed = "check the key and what it is allowed to read";
  } else if (status == 404) {
    error.code = ErrorCode::kNotFound;
  } else if (IsTransient(status)) {
    error.code = ErrorCode::kUnavailable;
  } else if (status < 400) {
    error.code = ErrorCode::kCorrupt;
  }
  return error;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the only date form that HTTP allows servers to send.
std::optional<Instant> ParseHttpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  const auto iso = fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4), month - kMonths.begin() + 1, text.substr(5, 2),
                               text.substr(17, 8));
  const auto time = ParseIsoTime(iso);
  if (!time) return std::nullopt;
  return Instant{time->local.time_since_epoch()};
}

}  // namespace

std::optional<Duration> ParseRetryAfter(std::string_view text, Instant now) {
  if (const auto seconds = io::ParseInteger(text); seconds && *seconds >= 0) return Duration{*seconds};
  if (const auto date = ParseHttpDate(text)) return std::max(Duration{0}, *date - now);
  return std::nullopt;
}

RetryingClient::RetryingClient(io::HttpClient& http, Clock& clock, RandomStream random, Quota quota, RetryPolicy policy,
                               std::string who)
    : http_(http), clock_(clock), random_(random), quota_(std::move(quota)), policy_(policy), who_(std::move(who)) {}

Result<io::HttpResponse> RetryingClient::GetOnce(const io::HttpRequest& request, std::optional<milliseconds>& asked) {
  auto response = http_.Get(request);
  if (!response) return Propagate(response);
  if (response->status >= 200 && response->status < 300) return response;
  if (const auto header = response->Header("Retry-After"); header && IsTransient(response->status)) {
    if (const auto wait = ParseRetryAfter(*header, clock_.Now())) asked = *wait;
  }
  return tl::unexpected<Error>(ErrorOf(response->status, who_));
}

milliseconds RetryingClient::BackOff(int attempt) {
  // Capped before the shift, which would overflow for large attempt counts.
  const auto whole = std::min(policy_.longest_delay, policy_.first_delay * (1 << std::min(attempt, 20)));
  // Between half of the delay and all of it, so that nodes that failed together do not retry together.
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(whole.count()) * random_.Uniform(0.5, 1.0)));
}

Result<io::HttpResponse> RetryingClient::Get(const io::HttpRequest& request) {
  const Instant begun = clock_.Now();
  for (int attempt = 0;; ++attempt) {
    if (const auto allowed = quota_.Take(who_); !allowed) return Propagate(allowed);
    std::optional<milliseconds> asked;
    auto response = GetOnce(request, asked);
    if (response || response.error().code != ErrorCode::kUnavailable) return response;

    Error error = response.error();
    const milliseconds wait = asked ? *asked : BackOff(attempt);
    const milliseconds spent = clock_.Now() - begun;
    if (attempt + 1 >= policy_.most_attempts) {
      error.what += fmt::format(" ({} attempts)", attempt + 1);
      return tl::unexpected<Error>(std::move(error));
    }
    if (spent + wait > policy_.longest_total) {
      error.what += fmt::format("; the next attempt is possible in {} s only", (wait.count() + 999) / 1000);
      return tl::unexpected<Error>(std::move(error));
    }
    clock_.Sleep(wait);
  }
}

}  // namespace heliostat::provider
