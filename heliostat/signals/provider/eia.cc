#include "heliostat/signals/provider/eia.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/provider/emission_factors.h"

namespace heliostat::provider {
namespace {

constexpr std::string_view kWhere = "provider eia";
constexpr Duration kHour{3600};
constexpr std::chrono::days kMostDays{10};  // 16 sources x 240 hours are below the limit of 5000 rows per answer
constexpr std::int64_t kMostRows = 5000;
constexpr double kMostUnknownShare = 0.2;

// MWh per source; hours are keyed by their begin.
using Mix = std::map<std::string, double>;
using Hours = std::map<Instant, Mix>;

// A text since API v2.1.6, a number before; null when nothing was reported.
Result<double> MegawattHours(const io::Json& row) {
  const io::Json* value = row.Find("value");
  if (value == nullptr) return signal::Missing();
  if (value->is_number()) return value->Number();
  const auto text = value->Text();
  if (!text) return Propagate(text);
  if (const auto number = io::ParseNumber(*text)) return *number;
  return Fail(ErrorCode::kCorrupt, value->where(), fmt::format("is '{}'", Printable(*text, 40)), "must be a number");
}

// "2025-09-07T05" labels the hour that ends at 05:00 UTC.
Result<Instant> BeginOf(const io::Json& row) {
  const auto member = row.Get("period");
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  const auto end = ParseInstant(text->size() == 13 ? *text + ":00Z" : *text, (*member)->where());
  if (!end) return Propagate(end);
  return *end - kHour;
}

Status TakeRow(const io::Json& row, const SignalRequest& request, Hours& hours) {
  if (const auto zone = ExpectText(row, "respondent", request.zone); !zone) return Propagate(zone);
  if (const auto unit = ExpectText(row, "value-units", "megawatthours"); !unit) return Propagate(unit);
  const auto begin = BeginOf(row);
  if (!begin) return Propagate(begin);
  const auto member = row.Get("fueltype");
  if (!member) return Propagate(member);
  const auto fuel = (*member)->Text();
  if (!fuel) return Propagate(fuel);
  const auto mwh = MegawattHours(row);
  if (!mwh) return Propagate(mwh);
  if (signal::IsMissing(*mwh)) return {};
  const auto [place, is_new] = hours[*begin].emplace(*fuel, *mwh);
  if (!is_new && place->second != *mwh) {
    return Fail(ErrorCode::kCorrupt, row.where(),
                fmt::format("{} at {} has two values, {} and {}", Printable(*fuel, 20), FormatInstant(*begin),
                            place->second, *mwh));
  }
  return {};
}

// Refuses an answer that the row limit of the API has truncated.
Status CheckTotal(const io::Json& response, std::size_t rows) {
  const io::Json* total = response.Find("total");
  if (total == nullptr) return {};
  const auto text = total->Text();
  const auto count =
      text ? io::ParseNumber(*text).value_or(signal::Missing()) : total->Number().value_or(signal::Missing());
  if (count <= static_cast<double>(rows)) return {};
  return Fail(ErrorCode::kCorrupt, total->where(), fmt::format("is more than the {} rows of the answer", rows),
              "the answer must be complete");
}

Result<Hours> ReadHours(const io::Json& root, const SignalRequest& request) {
  const auto response = root.Get("response");
  if (!response) return Propagate(response);
  const auto data = (*response)->Get("data");
  if (!data) return Propagate(data);
  const auto rows = (*data)->Elements();
  if (!rows) return Propagate(rows);
  if (const auto whole = CheckTotal(**response, (*rows)->size()); !whole) return Propagate(whole);
  Hours hours;
  for (const auto& row : **rows) {
    if (const auto taken = TakeRow(row, request, hours); !taken) return Propagate(taken);
  }
  return hours;
}

// Grams per kWh of the sources with a factor; missing when their share is too small.
double IntensityOf(const Mix& mix, const std::set<std::string>& expected, signal::Basis basis) {
  const auto is_there = [&](const std::string& fuel) { return mix.contains(fuel); };
  if (!std::ranges::all_of(expected, is_there)) return signal::Missing();
  double known_mwh = 0;
  double unknown_mwh = 0;
  double weighted = 0;
  for (const auto& [fuel, mwh] : mix) {
    const double generated = std::max(mwh, 0.0);  // negative values are a plant's own use
    if (const auto* factor = FindEmissionFactor(fuel)) {
      known_mwh += generated;
      weighted +=
          generated * (basis == signal::Basis::kDirect ? factor->direct_g_per_kwh : factor->lifecycle_g_per_kwh);
    } else if (!IsStorage(fuel)) {
      unknown_mwh += generated;
    }
  }
  if (known_mwh <= 0 || unknown_mwh > kMostUnknownShare * (known_mwh + unknown_mwh)) return signal::Missing();
  return weighted / known_mwh;
}

signal::Meaning MeaningOf(const SignalRequest& request, signal::Basis basis) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.zone = request.zone;
  meaning.source = "provider:eia";
  meaning.time_base = "UTC, interval ending";
  meaning.nature = signal::Nature::kMeasured;
  meaning.basis = basis;
  meaning.scope = signal::Scope::kAverage;
  meaning.notes = {basis == signal::Basis::kDirect ? "from generation by source and EIA's factors of 2023"
                                                   : "from generation by source and IPCC AR5 median factors",
                   "average of generation: imports and storage are not counted"};
  return meaning;
}

// "2025-09-07T05".
std::string HourText(Instant t) { return FormatInstant(t).substr(0, 13); }

struct Account {
  std::shared_ptr<Connection> connection;
  Secret key;
  signal::Basis basis;
};

Result<CheckedAnswer> Ask(const Account& account, const SignalRequest& piece) {
  Url url = account.connection->At("/v2/electricity/rto/fuel-type-data/data/");
  url.Query("frequency", "hourly").Query("data[0]", "value").Query("facets[respondent][]", piece.zone);
  url.Query("start", HourText(std::chrono::floor<std::chrono::hours>(piece.span.begin) + kHour));
  url.Query("end", HourText(std::chrono::ceil<std::chrono::hours>(piece.span.end)));
  url.Query("sort[0][column]", "period").Query("sort[0][direction]", "asc");
  url.Query("offset", "0").Query("length", std::to_string(kMostRows)).Query("api_key", account.key);
  const auto body = account.connection->Get(url);
  if (!body) return Propagate(body);
  const Instant now = account.connection->Now();
  auto signal = ParseEiaGeneration(*body, piece, now, account.basis);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

Result<CheckedAnswer> Measured(const Account& account, const SignalRequest& request) {
  const auto& where = account.connection->where();
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, where); !fine) return Propagate(fine);
  const auto past = UpToNow(request, account.connection->Now(), where);
  if (!past) return Propagate(past);
  return AskInPieces(*past, kMostDays, [&](const SignalRequest& piece) { return Ask(account, piece); });
}

}  // namespace

Result<signal::Signal> ParseEiaGeneration(std::string_view body, const SignalRequest& request, Instant now,
                                          signal::Basis basis) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  const auto hours = AsCorrupt(ReadHours(*root, request));
  if (!hours) return Propagate(hours);
  std::set<std::string> expected;
  for (const auto& [begin, mix] : *hours) {
    for (const auto& [fuel, mwh] : mix) {
      if (FindEmissionFactor(fuel) != nullptr) expected.insert(fuel);
    }
  }
  std::vector<AnswerValue> readings;
  for (const auto& [begin, mix] : *hours) readings.push_back({begin, IntensityOf(mix, expected, basis)});
  return CheckReadings(std::move(readings), {std::string(kWhere), MeaningOf(request, basis), request.span, kHour, now});
}

Result<Provider> MakeEia(const Dependencies& dependencies) {
  auto connection = Connection::Open(dependencies, {"eia", "https://api.eia.gov", QuotaLimit{5, Duration{1}}});
  if (!connection) return Propagate(connection);
  auto key = ReadSecret(dependencies.environment, VariableOf("eia", "KEY"));
  if (!key) return Propagate(key);
  const auto basis = BasisFrom(dependencies.environment, "eia");
  if (!basis) return Propagate(basis);
  const auto account = std::make_shared<const Account>(Account{*connection, std::move(*key), *basis});
  return Provider{"eia", MeasuredBy([account](const SignalRequest& request) { return Measured(*account, request); }),
                  nullptr};
}

}  // namespace heliostat::provider
