#include "heliostat/signals/provider/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heliostat::provider {
namespace {

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

class MeasuredFunction final : public MeasuredSource {
 public:
  explicit MeasuredFunction(std::function<Result<CheckedAnswer>(const SignalRequest&)> ask) : ask_(std::move(ask)) {}
  Result<CheckedAnswer> Measured(const SignalRequest& request) override { return ask_(request); }

 private:
  std::function<Result<CheckedAnswer>(const SignalRequest&)> ask_;
};

class ForecastFunction final : public ForecastSource {
 public:
  explicit ForecastFunction(std::function<Result<IssuedAnswer>(const SignalRequest&)> ask) : ask_(std::move(ask)) {}
  Result<IssuedAnswer> Forecast(const SignalRequest& request) override { return ask_(request); }

 private:
  std::function<Result<IssuedAnswer>(const SignalRequest&)> ask_;
};

Result<std::string> CheckedBase(std::string url, const std::string& where) {
  while (url.ends_with('/')) url.pop_back();
  const bool has_scheme = url.starts_with("https://") || url.starts_with("http://");
  if (!has_scheme || url.find_first_of("?# @") != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, where,
                fmt::format("address '{}' is not valid", Printable(io::AddressWithoutQuery(url), 100)),
                "write http:// or https://, a host and a path, without user or query");
  }
  return url;
}

// Joins the answers to the pieces; their meanings differ at most in notes.
Result<CheckedAnswer> JoinAnswers(std::vector<CheckedAnswer> answers) {
  std::vector<signal::StepSeries> parts;
  CheckedAnswer joined = answers.front();
  for (auto& answer : answers) {
    parts.push_back(std::move(answer.signal.series));
    for (auto& note : answer.signal.meaning.notes) {
      auto& notes = joined.signal.meaning.notes;
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    }
    joined.fetched = answer.fetched;
  }
  auto series = AsCorrupt(signal::Join(parts, signal::Overlap::kMustAgree));
  if (!series) return Propagate(series);
  joined.signal.series = std::move(*series);
  return joined;
}

}  // namespace

std::string VariableOf(std::string_view provider, std::string_view what) {
  std::string name = "HELIOSTAT_";
  for (const char c : provider) {
    if (c >= 'a' && c <= 'z') name += static_cast<char>(c - 'a' + 'A');
  }
  return name + "_" + std::string(what);
}

Connection::Connection(const Dependencies& dependencies, const Endpoint& endpoint, std::string base_url)
    : clock_(dependencies.clock),
      where_("provider " + endpoint.name),
      base_url_(std::move(base_url)),
      http_(dependencies.http, dependencies.clock, dependencies.random.Split(endpoint.name),
            Quota(dependencies.clock, endpoint.limit), dependencies.retry, where_) {}

Result<std::shared_ptr<Connection>> Connection::Open(const Dependencies& dependencies, const Endpoint& endpoint) {
  std::optional<std::string> other = dependencies.base_url;
  if (!other) other = dependencies.environment(VariableOf(endpoint.name, "URL"));
  auto base = CheckedBase(other.value_or(endpoint.base_url), "provider " + endpoint.name);
  if (!base) return Propagate(base);
  return std::shared_ptr<Connection>(new Connection(dependencies, endpoint, std::move(*base)));
}

Result<std::string> Connection::Get(const Url& url, std::vector<io::HttpHeader> headers) {
  const bool carries_secret = url.has_secret() || !headers.empty();
  auto response = http_.Get({url.full(), std::move(headers), carries_secret});
  if (!response) return Propagate(response);
  return std::move(response->body);
}

Status CheckRequest(const SignalRequest& request, signal::Kind kind, const std::string& where) {
  if (request.kind != kind) {
    return Fail(ErrorCode::kUnsupported, where, fmt::format("does not give {}", NameOf(request.kind)),
                fmt::format("it gives {}", NameOf(kind)));
  }
  if (request.span.empty()) {
    return Fail(ErrorCode::kInvalidArgument, where,
                fmt::format("the requested time, {} to {}, is empty", FormatInstant(request.span.begin),
                            FormatInstant(request.span.end)),
                "the end must be after the start");
  }
  const auto fits = [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '_'; };
  if (request.zone.empty() || request.zone.size() > 64 || !std::ranges::all_of(request.zone, fits)) {
    return Fail(ErrorCode::kInvalidArgument, where, fmt::format("zone '{}' is not valid", Printable(request.zone, 60)),
                "1 to 64 letters, digits, '-' and '_'");
  }
  return {};
}

Result<SignalRequest> UpToNow(SignalRequest request, Instant now, const std::string& where) {
  if (request.span.begin >= now) {
    return Fail(ErrorCode::kInvalidArgument, where,
                fmt::format("asked for measurements from {}", FormatInstant(request.span.begin)),
                fmt::format("measurements must begin before now, {}", FormatInstant(now)));
  }
  request.span.end = std::min<Instant>(request.span.end, std::chrono::ceil<std::chrono::hours>(now));
  return request;
}

Result<CheckedAnswer> AskInPieces(const SignalRequest& request, std::chrono::days days,
                                  const std::function<Result<CheckedAnswer>(const SignalRequest&)>& ask) {
  std::vector<CheckedAnswer> answers;
  std::optional<Error> nothing;
  SignalRequest piece = request;
  while (piece.span.begin < request.span.end) {
    const Instant cut = std::chrono::floor<std::chrono::days>(piece.span.begin) + days;
    piece.span.end = std::min(cut, request.span.end);
    auto answer = ask(piece);
    if (answer) {
      answers.push_back(std::move(*answer));
    } else if (answer.error().code == ErrorCode::kNotFound) {
      nothing = answer.error();
    } else {
      return answer;
    }
    piece.span.begin = piece.span.end;
  }
  if (answers.empty()) return tl::unexpected<Error>(*nothing);
  return JoinAnswers(std::move(answers));
}

std::unique_ptr<MeasuredSource> MeasuredBy(std::function<Result<CheckedAnswer>(const SignalRequest&)> ask) {
  return std::make_unique<MeasuredFunction>(std::move(ask));
}

std::unique_ptr<ForecastSource> ForecastBy(std::function<Result<IssuedAnswer>(const SignalRequest&)> ask) {
  return std::make_unique<ForecastFunction>(std::move(ask));
}

Result<signal::Basis> BasisFrom(const Environment& environment, std::string_view provider) {
  const std::string variable = VariableOf(provider, "BASIS");
  const std::string basis = environment(variable).value_or("lifecycle");
  if (basis == "lifecycle") return signal::Basis::kLifecycle;
  if (basis == "direct") return signal::Basis::kDirect;
  return Fail(ErrorCode::kInvalidArgument, variable, fmt::format("'{}' is not known", Printable(basis, 40)),
              "write lifecycle or direct");
}

}  // namespace heliostat::provider
