#include "heliostat/signals/provider/energy_charts.h"

#include <fmt/format.h>

#include "heliostat/signals/provider/day_ahead.h"

namespace heliostat::provider {
namespace {

constexpr std::string_view kWhere = "provider energy-charts";
constexpr std::chrono::days kMostDays{31};
// 1900 to 2200. Numbers outside are in another unit, such as milliseconds.
constexpr std::int64_t kEarliest = -2'208'988'800;
constexpr std::int64_t kLatest = 7'258'118'400;

Result<Instant> TimeAt(const io::Json& json) {
  const auto seconds = json.Integer();
  if (!seconds) return Propagate(seconds);
  if (*seconds < kEarliest || *seconds > kLatest) {
    return Fail(ErrorCode::kCorrupt, json.where(), fmt::format("is {}", *seconds), "must be seconds since 1970");
  }
  return Instant{Duration{*seconds}};
}

Result<std::vector<AnswerValue>> ReadPrices(const io::Json& root) {
  if (const auto unit = ExpectText(root, "unit", "EUR / MWh"); !unit) return Propagate(unit);
  const auto time_list = root.Get("unix_seconds");
  if (!time_list) return Propagate(time_list);
  const auto times = (*time_list)->Elements();
  if (!times) return Propagate(times);
  const auto price_list = root.Get("price");
  if (!price_list) return Propagate(price_list);
  const auto prices = (*price_list)->Elements();
  if (!prices) return Propagate(prices);
  if ((*times)->size() != (*prices)->size()) {
    return Fail(ErrorCode::kCorrupt, root.where(),
                fmt::format("has {} times and {} prices", (*times)->size(), (*prices)->size()));
  }
  std::vector<AnswerValue> readings;
  for (std::size_t i = 0; i < (*times)->size(); ++i) {
    const auto time = TimeAt((**times)[i]);
    if (!time) return Propagate(time);
    const io::Json& price = (**prices)[i];
    const auto value = price.is_null() ? Result<double>(signal::Missing()) : price.Number();
    if (!value) return Propagate(value);
    readings.push_back({*time, *value});
  }
  return readings;
}

Result<CheckedAnswer> Ask(Connection& connection, const SignalRequest& piece, AnswerRole role) {
  // Whole days, so that an answer to a short request also shows its step.
  const Instant from = std::chrono::floor<std::chrono::days>(piece.span.begin);
  const Instant to = std::chrono::ceil<std::chrono::days>(piece.span.end);
  Url url = connection.At("/price");
  url.Query("bzn", piece.zone).Query("start", FormatInstant(from)).Query("end", FormatInstant(to));
  const auto body = connection.Get(url);
  if (!body) return Propagate(body);
  const Instant now = connection.Now();
  auto signal = ParseEnergyChartsPrice(*body, piece, now, role);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

}  // namespace

Result<signal::Signal> ParseEnergyChartsPrice(std::string_view body, const SignalRequest& request, Instant now,
                                              AnswerRole role) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  auto readings = AsCorrupt(ReadPrices(*root));
  if (!readings) return Propagate(readings);
  BlankUndelivered(*readings, now, role);
  const AnswerRules rules{std::string(kWhere), DayAheadMeaning(request, "energy-charts", role), request.span,
                          std::nullopt, std::nullopt};
  return CheckReadings(std::move(*readings), rules);
}

Result<Provider> MakeEnergyCharts(const Dependencies& dependencies) {
  // The provider documents no limit; this one keeps the load low.
  auto connection =
      Connection::Open(dependencies, {"energy-charts", "https://api.energy-charts.info", QuotaLimit{2, Duration{1}}});
  if (!connection) return Propagate(connection);
  return MakeDayAheadProvider("energy-charts", std::move(*connection), kMostDays, Ask);
}

}  // namespace heliostat::provider
