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

// What a provider needs to work. `http` and `clock` must outlive the provider.
struct Dependencies {
  io::HttpClient& http;
  Clock& clock;
  RandomStream random;
  Environment environment;
  // Replaces the address of the provider. If absent, HELIOSTAT_<NAME>_URL replaces it when set.
  std::optional<std::string> base_url = std::nullopt;
  RetryPolicy retry = {};
};

// Address and rate limit of a provider, as its documentation states them.
struct Endpoint {
  std::string name;      // "energy-charts"
  std::string base_url;  // without a slash at the end
  QuotaLimit limit;
};

// "energy-charts", "URL" -> "HELIOSTAT_ENERGYCHARTS_URL".
std::string VariableOf(std::string_view provider, std::string_view what);

// The connection to one provider with its address, retries and quota, shared by the two roles of the provider. Not
// thread-safe.
class Connection {
 public:
  // Sends nothing. kInvalidArgument when the address is not an http or https URL without user, query or fragment.
  static Result<std::shared_ptr<Connection>> Open(const Dependencies& dependencies, const Endpoint& endpoint);

  // The address of the provider followed by `path`.
  Url At(std::string_view path) const { return Url(base_url_ + std::string(path)); }
  // The body of an answer with status 2xx; RetryingClient has the rules. A request with headers is treated as one that
  // carries a key.
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

// Refuses a request for another kind (kUnsupported), for an empty span, or for a zone with other characters than
// letters, digits, '-' and '_'.
Status CheckRequest(const SignalRequest& request, signal::Kind kind, const std::string& where);

// The request, ended at the next full hour after `now`: later values cannot have been measured. kInvalidArgument when
// all of it is in the future.
Result<SignalRequest> UpToNow(SignalRequest request, Instant now, const std::string& where);

// Splits a long request into pieces of at most `days`, at midnight UTC, and joins the answers. A piece without values
// (kNotFound) becomes a gap as long as another piece has some. The origin of the result is that of the first answer.
Result<CheckedAnswer> AskInPieces(const SignalRequest& request, std::chrono::days days,
                                  const std::function<Result<CheckedAnswer>(const SignalRequest&)>& ask);

// Wraps a function as one role of a provider.
std::unique_ptr<MeasuredSource> MeasuredBy(std::function<Result<CheckedAnswer>(const SignalRequest&)> ask);
std::unique_ptr<ForecastSource> ForecastBy(std::function<Result<IssuedAnswer>(const SignalRequest&)> ask);

// The basis named by HELIOSTAT_<NAME>_BASIS: "lifecycle" (the default) or "direct"; kInvalidArgument for others.
Result<signal::Basis> BasisFrom(const Environment& environment, std::string_view provider);

}  // namespace heliostat::provider
