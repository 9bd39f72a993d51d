#include "heliostat/signals/provider/electricity_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heliostat::provider {
namespace {

constexpr std::string_view kName = "electricity-maps";
constexpr std::string_view kWhere = "provider electricity-maps";
constexpr Duration kHour{3600};
constexpr std::chrono::days kMostDays{10};  // of one past-range request at hourly granularity

std::string_view FactorType(signal::Basis basis) { return basis == signal::Basis::kDirect ? "direct" : "lifecycle"; }

signal::Meaning MeaningOf(const SignalRequest& request, signal::Basis basis, AnswerRole role) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.zone = request.zone;
  meaning.source = "provider:electricity-maps";
  meaning.nature = role == AnswerRole::kMeasured ? signal::Nature::kMeasured : signal::Nature::kForecast;
  meaning.basis = basis;
  meaning.scope = signal::Scope::kAverage;
  meaning.notes = {"average of consumption: imports are traced to their origin"};
  return meaning;
}

// The API has used three names for the list; takes the first that is present.
Result<const io::Json::Array*> HoursOf(const io::Json& root) {
  for (const std::string_view key : {"data", "history", "forecast"}) {
    if (const io::Json* list = root.Find(key)) return list->Elements();
  }
  return Fail(ErrorCode::kCorrupt, root.where(), "has no list of values", "under 'data', 'history' or 'forecast'");
}

struct Hours {
  std::vector<AnswerValue> readings;
  std::size_t estimated = 0;
};

Result<Hours> ReadHours(const io::Json& root, const SignalRequest& request, signal::Basis basis) {
  // For an unknown zone the API may answer with the zone where it locates the caller.
  if (const auto zone = ExpectText(root, "zone", request.zone); !zone) return Propagate(zone);
  const auto list = HoursOf(root);
  if (!list) return Propagate(list);
  Hours hours;
  for (const auto& hour : **list) {
    const auto time = TimeOf(hour, "datetime");
    if (!time) return Propagate(time);
    const auto value = NumberOrMissing(hour, "carbonIntensity");
    if (!value) return Propagate(value);
    if (hour.Find("emissionFactorType") != nullptr) {
      const auto type = ExpectText(hour, "emissionFactorType", FactorType(basis));
      if (!type) return Propagate(type);
    }
    if (const io::Json* flag = hour.Find("isEstimated")) {
      const auto is_estimated = flag->Boolean();
      if (!is_estimated) return Propagate(is_estimated);
      if (*is_estimated) ++hours.estimated;
    }
    hours.readings.push_back({*time, *value});
  }
  return hours;
}

Url UrlOf(const Connection& connection, std::string_view what, const SignalRequest& request, signal::Basis basis) {
  Url url = connection.At("/v3/carbon-intensity");
  url.Segment(what).Query("zone", request.zone).Query("emissionFactorType", FactorType(basis));
  url.Query("temporalGranularity", "hourly");
  return url;
}

// One key and basis, shared by the two roles of the provider.
struct Account {
  std::shared_ptr<Connection> connection;
  Secret token;
  signal::Basis basis;

  Result<std::string> Get(const Url& url) const { return connection->Get(url, {{"auth-token", token.Reveal()}}); }
};

Result<CheckedAnswer> AskPast(const Account& account, const SignalRequest& piece) {
  const Instant asked = account.connection->Now();
  // The last day has a separate endpoint, which free keys may read.
  const bool is_recent = piece.span.begin >= asked - std::chrono::hours(23);
  Url url = UrlOf(*account.connection, is_recent ? "history" : "past-range", piece, account.basis);
  if (!is_recent) url.Query("start", FormatInstant(piece.span.begin)).Query("end", FormatInstant(piece.span.end));
  const auto body = account.Get(url);
  if (!body) return Propagate(body);
  const Instant now = account.connection->Now();
  auto signal = ParseElectricityMapsPast(*body, piece, now, account.basis);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

Result<CheckedAnswer> Measured(const Account& account, const SignalRequest& request) {
  const auto& where = account.connection->where();
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, where); !fine) return Propagate(fine);
  const auto past = UpToNow(request, account.connection->Now(), where);
  if (!past) return Propagate(past);
  return AskInPieces(*past, kMostDays, [&](const SignalRequest& piece) { return AskPast(account, piece); });
}

Result<IssuedAnswer> Forecast(const Account& account, const SignalRequest& request) {
  const auto& where = account.connection->where();
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, where); !fine) return Propagate(fine);
  constexpr std::array<int, 4> kHorizons{6, 24, 48, 72};
  const auto wanted = std::chrono::ceil<std::chrono::hours>(request.span.end - account.connection->Now()).count();
  const auto fits = std::ranges::find_if(kHorizons, [&](int hours) { return hours >= wanted; });
  Url url = UrlOf(*account.connection, "forecast", request, account.basis);
  url.Query("horizonHours", std::to_string(fits == kHorizons.end() ? kHorizons.back() : *fits));
  const auto body = account.Get(url);
  if (!body) return Propagate(body);
  const Instant now = account.connection->Now();
  auto issued = ParseElectricityMapsForecast(*body, request, now, account.basis);
  if (!issued) return Propagate(issued);
  return IssuedAnswer{{std::move(issued->signal), now, url.shown()}, issued->issued};
}

}  // namespace

Result<signal::Signal> ParseElectricityMapsPast(std::string_view body, const SignalRequest& request, Instant now,
                                                signal::Basis basis) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  auto hours = AsCorrupt(ReadHours(*root, request, basis));
  if (!hours) return Propagate(hours);
  AnswerRules rules{std::string(kWhere), MeaningOf(request, basis, AnswerRole::kMeasured), request.span, kHour, now};
  if (hours->estimated > 0) rules.meaning.notes.emplace_back("holds values that the provider estimated");
  return CheckReadings(std::move(hours->readings), rules);
}

Result<IssuedSignal> ParseElectricityMapsForecast(std::string_view body, const SignalRequest& request, Instant now,
                                                  signal::Basis basis) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  auto hours = AsCorrupt(ReadHours(*root, request, basis));
  if (!hours) return Propagate(hours);
  const auto issued = TimeOf(*root, "updatedAt", false);
  if (!issued) return Propagate(issued);
  if (const auto fine = CheckIssued(*issued, now, std::string(kWhere)); !fine) return Propagate(fine);
  const AnswerRules rules{std::string(kWhere), MeaningOf(request, basis, AnswerRole::kForecast), request.span, kHour,
                          std::nullopt};
  auto signal = CheckReadings(std::move(hours->readings), rules);
  if (!signal) return Propagate(signal);
  return IssuedSignal{std::move(*signal), *issued};
}

Result<Provider> MakeElectricityMaps(const Dependencies& dependencies) {
  const std::string name(kName);
  // The limits depend on the contract; the server enforces them with 429 and Retry-After.
  auto connection =
      Connection::Open(dependencies, {name, "https://api.electricitymaps.com", QuotaLimit{2, Duration{1}}});
  if (!connection) return Propagate(connection);
  auto token = ReadSecret(dependencies.environment, VariableOf(name, "TOKEN"));
  if (!token) return Propagate(token);
  const auto basis = BasisFrom(dependencies.environment, name);
  if (!basis) return Propagate(basis);
  const auto account = std::make_shared<const Account>(Account{*connection, std::move(*token), *basis});
  return Provider{name, MeasuredBy([account](const SignalRequest& request) { return Measured(*account, request); }),
                  ForecastBy([account](const SignalRequest& request) { return Forecast(*account, request); })};
}

}  // namespace heliostat::provider
