#include "heliostat/signals/provider/neso.h"

#include <fmt/format.h>

#include <optional>

#include "heliostat/base/io/number.h"

namespace heliostat::provider {
namespace {

constexpr Duration kHalfHour{1800};
constexpr std::chrono::days kMostDays{14};  // the limit of the API
constexpr std::string_view kWhere = "provider neso";

// The number after "GB-"; std::nullopt for the whole country.
Result<std::optional<int>> RegionOf(const std::string& zone) {
  if (zone == "GB") return std::nullopt;
  if (zone.starts_with("GB-")) {
    const auto id = io::ParseInteger(std::string_view(zone).substr(3));
    if (id && *id >= 1 && *id <= 17) return *id;
  }
  return Fail(ErrorCode::kNotFound, std::string(kWhere), fmt::format("has no zone '{}'", Printable(zone, 60)),
              "GB, or GB-1 to GB-17 for its regions");
}

signal::Meaning MeaningOf(const SignalRequest& request, AnswerRole role) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.zone = request.zone;
  meaning.source = "provider:neso";
  meaning.nature = role == AnswerRole::kMeasured ? signal::Nature::kMeasured : signal::Nature::kForecast;
  meaning.basis = signal::Basis::kDirect;
  meaning.scope = signal::Scope::kAverage;
  meaning.notes = {"counts generation and imports, not the building of plants"};
  return meaning;
}

// The half-hours of a region are one level deeper, next to its number.
Result<const io::Json*> HalfHours(const io::Json& root, std::optional<int> region) {
  auto data = root.Get("data");
  if (!data || !region) return data;
  const io::Json* entry = *data;
  if (const auto list = entry->Elements()) {
    if ((*list)->size() != 1)
      return Fail(ErrorCode::kCorrupt, entry->where(), fmt::format("holds {} regions", (*list)->size()),
                  "must hold one");
    entry = &(*list)->front();
  }
  auto member = entry->Get("regionid");
  if (!member) return member;
  const auto id = (*member)->Integer();
  if (!id) return Propagate(id);
  if (*id != *region) {
    return Fail(ErrorCode::kCorrupt, entry->where(), fmt::format("is region {}", *id),
                fmt::format("must be region {}", *region));
  }
  return entry->Get("data");
}

Result<AnswerValue> ReadingOf(const io::Json& half_hour, AnswerRole role) {
  const auto from = TimeOf(half_hour, "from");
  if (!from) return Propagate(from);
  const auto to = TimeOf(half_hour, "to");
  if (!to) return Propagate(to);
  if (*to - *from != kHalfHour) {
    return Fail(ErrorCode::kCorrupt, half_hour.where(), fmt::format("is {} long", FormatDuration(*to - *from)),
                "must be half an hour");
  }
  const auto intensity = half_hour.Get("intensity");
  if (!intensity) return Propagate(intensity);
  const auto value = NumberOrMissing(**intensity, role == AnswerRole::kMeasured ? "actual" : "forecast");
  if (!value) return Propagate(value);
  return AnswerValue{*from, *value};
}

// "2018-01-20T12:00Z", the only form that the API accepts.
std::string MinuteText(Instant t) { return FormatInstant(t).substr(0, 16) + "Z"; }

Result<CheckedAnswer> Ask(Connection& connection, const SignalRequest& piece, AnswerRole role) {
  const auto region = RegionOf(piece.zone);
  if (!region) return Propagate(region);
  Url url = connection.At(*region ? "/regional/intensity" : "/intensity");
  url.Segment(MinuteText(piece.span.begin)).Segment(MinuteText(piece.span.end));
  if (*region) url.Segment("regionid").Segment(std::to_string(**region));
  const auto body = connection.Get(url);
  if (!body) return Propagate(body);
  const Instant now = connection.Now();
  auto signal = ParseNesoIntensity(*body, piece, now, role);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

Result<CheckedAnswer> Measured(Connection& connection, const SignalRequest& request) {
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, connection.where()); !fine) {
    return Propagate(fine);
  }
  if (const auto region = RegionOf(request.zone); region && *region) {
    return Fail(ErrorCode::kUnsupported, connection.where(), fmt::format("has no measurements of '{}'", request.zone),
                "regions have forecasts only; request GB");
  }
  const auto past = UpToNow(request, connection.Now(), connection.where());
  if (!past) return Propagate(past);
  return AskInPieces(*past, kMostDays,
                     [&](const SignalRequest& piece) { return Ask(connection, piece, AnswerRole::kMeasured); });
}

Result<IssuedAnswer> Forecast(Connection& connection, const SignalRequest& request) {
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, connection.where()); !fine) {
    return Propagate(fine);
  }
  auto answer = AskInPieces(request, kMostDays,
                            [&](const SignalRequest& piece) { return Ask(connection, piece, AnswerRole::kForecast); });
  if (!answer) return Propagate(answer);
  answer->signal.meaning.notes.emplace_back("time of issue not published; taken as the time of asking");
  const Instant issued = answer->fetched;
  return IssuedAnswer{std::move(*answer), issued};
}

}  // namespace

Result<signal::Signal> ParseNesoIntensity(std::string_view body, const SignalRequest& request, Instant now,
                                          AnswerRole role) {
  const auto region = RegionOf(request.zone);
  if (!region) return Propagate(region);
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  const auto data = HalfHours(*root, *region);
  if (!data) return AsCorrupt(Result<signal::Signal>(Propagate(data)));
  const auto half_hours = (*data)->Elements();
  if (!half_hours) return AsCorrupt(Result<signal::Signal>(Propagate(half_hours)));
  std::vector<AnswerValue> readings;
  for (const auto& half_hour : **half_hours) {
    const auto reading = AsCorrupt(ReadingOf(half_hour, role));
    if (!reading) return Propagate(reading);
    readings.push_back(*reading);
  }
  AnswerRules rules{std::string(kWhere), MeaningOf(request, role), request.span, kHalfHour, std::nullopt};
  if (role == AnswerRole::kMeasured) rules.now = now;
  return CheckReadings(std::move(readings), rules);
}

Result<Provider> MakeNeso(const Dependencies& dependencies) {
  // The provider documents no limit; this one keeps the load low.
  const auto connection =
      Connection::Open(dependencies, {"neso", "https://api.carbonintensity.org.uk", QuotaLimit{5, Duration{1}}});
  if (!connection) return Propagate(connection);
  const auto& shared = *connection;
  return Provider{"neso", MeasuredBy([shared](const SignalRequest& request) { return Measured(*shared, request); }),
                  ForecastBy([shared](const SignalRequest& request) { return Forecast(*shared, request); })};
}

}  // namespace heliostat::provider
