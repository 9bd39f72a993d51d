#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/provider/answer_check.h"
#include "heliostat/signals/provider/retry.h"
#include "heliostat/signals/provider/secret.h"
#include "heliostat/signals/provider/url.h"

namespace heliostat::provider {

// What a provider is built from. `http` and `clock` must outlive it.
struct Dependencies {
  io::HttpClient& http;
  Clock& clock;
  RandomStream random;
  Environment environment;
  // Asked in place of the provider's own address. Else HELIOSTAT_<NAME>_URL is, when set.
  std::optional<std::string> base_url = std::nullopt;
  RetryPolicy retry = {};
};

// What a provider's documentation says of how to reach it.
struct Endpoint {
  std::string name;      // "energy-charts"
  std::string base_url;  // without a slash at the end
  QuotaLimit limit;
};

// "energy-charts", "URL" -> "HELIOSTAT_ENERGYCHARTS_URL".
std::string VariableOf(std::string_view provider, std::string_view what);

// The way to one provider: its address, patience and quota, shared by the two
// roles it may have. Not thread-safe.
class Connection {
 public:
  static Result<std::shared_ptr<Connection>> Open(const Dependencies& dependencies, const Endpoint& endpoint);

  Url At(std::string_view path) const { return Url(base_url_ + std::string(path)); }
  // The body of a good answer. Headers are taken to hold a key.
  Result<std::string> Get(const Url& url, std::vector<io::HttpHeader> headers = {});

  Instant Now() const { return clock_.Now(); }
  const std::string& where() const { return where_; }

 private:
  Connection(const Dependencies& dependencies, const Endpoint& endpoint, std::string base_url);

  Clock& clock_;
  std::string where_;  // "provider neso"
  std::string base_url_;
  RetryingClient http_;
};

// Refuses a request for another kind, for no time, or for a zone that is not
// made of letters, digits, '-' and '_'.
Status CheckRequest(const SignalRequest& request, signal::Kind kind, const std::string& where);

// The part of a request that can have been measured, to the end of the hour that
// now lies in. kInvalidArgument when all of it is still to come.
Result<SignalRequest> UpToNow(SignalRequest request, Instant now, const std::string& where);

// Asks for a long request in pieces of at most `days`, cut at midnight UTC, and
// joins the answers. A piece without values is a gap as long as another has some.
Result<CheckedAnswer> AskInPieces(const SignalRequest& request, std::chrono::days days,
                                  const std::function<Result<CheckedAnswer>(const SignalRequest&)>& ask);

// Roles made of functions: what differs between providers is a function each.
std::unique_ptr<MeasuredSource> MeasuredBy(std::function<Result<CheckedAnswer>(const SignalRequest&)> ask);
std::unique_ptr<ForecastSource> ForecastBy(std::function<Result<IssuedAnswer>(const SignalRequest&)> ask);

// The basis that HELIOSTAT_<NAME>_BASIS names, "lifecycle" (also when unset) or "direct".
Result<signal::Basis> BasisFrom(const Environment& environment, std::string_view provider);

}  // namespace heliostat::provider
