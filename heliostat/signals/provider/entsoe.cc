#include "heliostat/signals/provider/entsoe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "heliostat/base/io/number.h"
#include "heliostat/base/io/xml.h"
#include "heliostat/signals/provider/day_ahead.h"

namespace heliostat::provider {
namespace {

constexpr std::string_view kWhere = "provider entsoe";
constexpr std::chrono::days kMostDays{100};  // the API allows a year; fewer days keep answers small
// A year of quarters of an hour. A short document can declare long periods, so the sum has a limit too.
constexpr std::int64_t kMostPositions = 36'000;
constexpr std::size_t kMostPositionsInAll = 100'000;

constexpr auto kZones = std::to_array<EntsoeZone>({
    {"AT", "10YAT-APG------L"},     {"BE", "10YBE----------2"},       {"BG", "10YCA-BULGARIA-R"},
    {"CH", "10YCH-SWISSGRIDZ"},     {"CZ", "10YCZ-CEPS-----N"},       {"DE-LU", "10Y1001A1001A82H"},
    {"DK1", "10YDK-1--------W"},    {"DK2", "10YDK-2--------M"},      {"EE", "10Y1001A1001A39I"},
    {"ES", "10YES-REE------0"},     {"FI", "10YFI-1--------U"},       {"FR", "10YFR-RTE------C"},
    {"GR", "10YGR-HTSO-----Y"},     {"HR", "10YHR-HEP------M"},       {"HU", "10YHU-MAVIR----U"},
    {"IE-SEM", "10Y1001A1001A59C"}, {"IT-NORTH", "10Y1001A1001A73I"}, {"LT", "10YLT-1001A0008Q"},
    {"LV", "10YLV-1001A00074"},     {"NL", "10YNL----------L"},       {"NO1", "10YNO-1--------2"},
    {"NO2", "10YNO-2--------T"},    {"NO3", "10YNO-3--------J"},      {"NO4", "10YNO-4--------9"},
    {"NO5", "10Y1001A1001A48H"},    {"PL", "10YPL-AREA-----S"},       {"PT", "10YPT-REN------W"},
    {"RO", "10YRO-TEL------P"},     {"SE1", "10Y1001A1001A44P"},      {"SE2", "10Y1001A1001A45N"},
    {"SE3", "10Y1001A1001A46L"},    {"SE4", "10Y1001A1001A47J"},      {"SI", "10YSI-ELES-----O"},
    {"SK", "10YSK-SEPS-----K"},
});

tl::unexpected<Error> Corrupt(const io::XmlElement& at, std::string what, std::string allowed = {}) {
  return Fail(ErrorCode::kCorrupt, at.where, std::move(what), std::move(allowed));
}

Result<std::string_view> EicOf(const std::string& zone) {
  const auto found = std::ranges::find(kZones, zone, &EntsoeZone::name);
  if (found != kZones.end()) return found->eic;
  if (zone.size() == 16) return std::string_view(zone);
  return Fail(ErrorCode::kNotFound, std::string(kWhere), fmt::format("has no zone '{}'", Printable(zone, 60)),
              "a bidding zone such as DE-LU, FR or SE3, or a 16-character EIC code");
}

// The prices of one Period, before they are brought to a common step.
struct Period {
  Instant start;
  Duration resolution;
  std::vector<double> prices;
};

Result<Duration> ResolutionOf(const io::XmlElement& period) {
  const auto text = period.TextOf("resolution");
  if (!text) return Propagate(text);
  if (*text == "PT15M") return Duration{900};
  if (*text == "PT30M") return Duration{1800};
  if (*text == "PT60M" || *text == "PT1H") return Duration{3600};
  return Corrupt(period, fmt::format("resolution is '{}'", Printable(*text, 20)), "PT15M, PT30M or PT60M");
}

// A period with start, resolution and a missing price per position.
Result<Period> EmptyPeriod(const io::XmlElement& element) {
  const auto resolution = ResolutionOf(element);
  if (!resolution) return Propagate(resolution);
  const auto interval = element.Get("timeInterval");
  if (!interval) return Propagate(interval);
  std::array<Instant, 2> ends;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto text = (*interval)->TextOf(i == 0 ? "start" : "end");
    if (!text) return Propagate(text);
    const auto time = ParseInstant(*text, (*interval)->where);
    if (!time) return Propagate(time);
    ends[i] = *time;
  }
  const Duration length = ends[1] - ends[0];
  if (length.count() <= 0 || length % *resolution != Duration{0} || length / *resolution > kMostPositions) {
    return Corrupt(**interval, fmt::format("is {} long", FormatDuration(length)),
                   fmt::format("must be 1 to {} whole steps", kMostPositions));
  }
  return Period{ends[0], *resolution,
                std::vector<double>(static_cast<std::size_t>(length / *resolution), signal::Missing())};
}

Status TakePoint(const io::XmlElement& point, Period& period) {
  const auto position_text = point.TextOf("position");
  if (!position_text) return Propagate(position_text);
  const auto position = io::ParseInteger(*position_text);
  if (!position || *position < 1 || *position > std::ssize(period.prices)) {
    return Corrupt(point, fmt::format("position is '{}'", Printable(*position_text, 20)),
                   fmt::format("must be 1 to {}", period.prices.size()));
  }
  const auto price_text = point.TextOf("price.amount");
  if (!price_text) return Propagate(price_text);
  const auto price = io::ParseNumber(*price_text);
  if (!price) return Corrupt(point, fmt::format("price is '{}'", Printable(*price_text, 20)), "must be a number");
  double& cell = period.prices[static_cast<std::size_t>(*position - 1)];
  if (!signal::IsMissing(cell) && cell != *price) {
    return Corrupt(point, fmt::format("position {} has two prices, {} and {}", *position, cell, *price));
  }
  cell = *price;
  return {};
}

// `repeats` applies the rule of curve type A03: a position that is left out has the price of the one before.
Result<Period> ReadPeriod(const io::XmlElement& element, bool repeats) {
  auto period = EmptyPeriod(element);
  if (!period) return period;
  for (const auto& child : element.children) {
    if (child.name != "Point") continue;
    if (const auto taken = TakePoint(child, *period); !taken) return Propagate(taken);
  }
  if (!repeats) return period;
  if (signal::IsMissing(period->prices.front()))
    return Corrupt(element, "has no position 1", "curve type A03 requires it");
  for (std::size_t i = 1; i < period->prices.size(); ++i) {
    if (signal::IsMissing(period->prices[i])) period->prices[i] = period->prices[i - 1];
  }
  return period;
}

Status ExpectChild(const io::XmlElement& element, std::string_view child, std::string_view expected) {
  const auto text = element.TextOf(child);
  if (!text) return Propagate(text);
  if (*text == expected) return {};
  return Corrupt(element, fmt::format("{} is '{}'", child, Printable(*text, 40)),
                 fmt::format("must be '{}'", expected));
}

// Zones with several auctions number them; number 1 is the coupled European auction.
bool IsOtherAuction(const io::XmlElement& series) {
  const auto* number = series.Find("classificationSequence_AttributeInstanceComponent.position");
  return number != nullptr && number->text != "1";
}

Status ReadSeries(const io::XmlElement& series, std::string_view eic, std::vector<Period>& periods) {
  std::size_t positions = 0;
  for (const auto& period : periods) positions += period.prices.size();
  if (const auto fine = ExpectChild(series, "in_Domain.mRID", eic); !fine) return Propagate(fine);
  if (const auto fine = ExpectChild(series, "currency_Unit.name", "EUR"); !fine) return Propagate(fine);
  if (const auto fine = ExpectChild(series, "price_Measure_Unit.name", "MWH"); !fine) return Propagate(fine);
  const io::XmlElement* curve = series.Find("curveType");
  const bool repeats = curve != nullptr && curve->text == "A03";
  if (curve != nullptr && !repeats && curve->text != "A01") {
    return Corrupt(*curve, fmt::format("is '{}'", Printable(curve->text, 20)), "must be A01 or A03");
  }
  for (const auto& child : series.children) {
    if (child.name != "Period") continue;
    auto period = ReadPeriod(child, repeats);
    if (!period) return Propagate(period);
    positions += period->prices.size();
    periods.push_back(std::move(*period));
    if (positions > kMostPositionsInAll) {
      return Corrupt(child, fmt::format("the document has {} positions up to here", positions),
                     fmt::format("at most {}", kMostPositionsInAll));
    }
  }
  return {};
}

// The server sends an Acknowledgement_MarketDocument in place of data; reason 999 means that there is none.
tl::unexpected<Error> NoDataError(const io::XmlElement& root) {
  const io::XmlElement* reason = root.Find("Reason");
  const io::XmlElement* code = reason == nullptr ? nullptr : reason->Find("code");
  if (code != nullptr && code->text == "999") {
    return Fail(ErrorCode::kNotFound, std::string(kWhere), "has no prices for this zone and time");
  }
  return Corrupt(root,
                 fmt::format("refuses the request with reason '{}'", code == nullptr ? "" : Printable(code->text, 20)));
}

Result<std::vector<AnswerValue>> ReadDocument(const io::XmlElement& root, std::string_view eic) {
  if (root.name == "Acknowledgement_MarketDocument") return NoDataError(root);
  if (root.name != "Publication_MarketDocument") {
    return Corrupt(root, fmt::format("is a '{}'", Printable(root.name, 60)), "must be a Publication_MarketDocument");
  }
  if (const auto fine = ExpectChild(root, "type", "A44"); !fine) return Propagate(fine);
  std::vector<Period> periods;
  for (const auto& child : root.children) {
    if (child.name != "TimeSeries" || IsOtherAuction(child)) continue;
    if (const auto read = ReadSeries(child, eic, periods); !read) return Propagate(read);
  }
  Duration finest{3600};
  for (const auto& period : periods) finest = std::min(finest, period.resolution);
  std::vector<AnswerValue> readings;
  for (const auto& period : periods) {
    const auto parts = period.resolution / finest;
    for (std::size_t i = 0; i < period.prices.size() * static_cast<std::size_t>(parts); ++i) {
      readings.push_back(
          {period.start + finest * static_cast<std::int64_t>(i), period.prices[i / static_cast<std::size_t>(parts)]});
    }
  }
  return readings;
}

// "202501310000", the only form that the platform accepts.
std::string CompactText(Instant t) {
  std::string text = FormatInstant(t).substr(0, 16);
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  return text;
}

Result<CheckedAnswer> Ask(Connection& connection, const Secret& token, const SignalRequest& piece, AnswerRole role) {
  const auto eic = EicOf(piece.zone);
  if (!eic) return Propagate(eic);
  // Whole hours: every resolution divides them.
  const Instant from = std::chrono::floor<std::chrono::hours>(piece.span.begin);
  const Instant to = std::chrono::ceil<std::chrono::hours>(piece.span.end);
  Url url = connection.At("/api");
  url.Query("documentType", "A44").Query("in_Domain", *eic).Query("out_Domain", *eic);
  url.Query("contract_MarketAgreement.type", "A01");
  url.Query("periodStart", CompactText(from)).Query("periodEnd", CompactText(to)).Query("securityToken", token);
  const auto body = connection.Get(url);
  if (!body) return Propagate(body);
  const Instant now = connection.Now();
  auto signal = ParseEntsoePrices(*body, piece, now, role);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

}  // namespace

std::span<const EntsoeZone> EntsoeZones() { return kZones; }

Result<signal::Signal> ParseEntsoePrices(std::string_view body, const SignalRequest& request, Instant now,
                                         AnswerRole role) {
  const auto eic = EicOf(request.zone);
  if (!eic) return Propagate(eic);
  const auto root = AsCorrupt(io::ParseXml(body, std::string(kWhere)));
  if (!root) return Propagate(root);
  auto readings = AsCorrupt(ReadDocument(*root, *eic));
  if (!readings) return Propagate(readings);
  BlankUndelivered(*readings, now, role);
  const AnswerRules rules{std::string(kWhere), DayAheadMeaning(request, "entsoe", role), request.span, std::nullopt,
                          std::nullopt};
  return CheckReadings(std::move(*readings), rules);
}

Result<Provider> MakeEntsoe(const Dependencies& dependencies) {
  // The API allows 400 requests per minute and bans a client for ten minutes above that.
  auto connection =
      Connection::Open(dependencies, {"entsoe", "https://web-api.tp.entsoe.eu", QuotaLimit{300, Duration{60}}});
  if (!connection) return Propagate(connection);
  const auto token = ReadSecret(dependencies.environment, VariableOf("entsoe", "TOKEN"));
  if (!token) return Propagate(token);
  return MakeDayAheadProvider("entsoe", std::move(*connection), kMostDays,
                              [token = *token](Connection& c, const SignalRequest& piece, AnswerRole role) {
                                return Ask(c, token, piece, role);
                              });
}

}  // namespace heliostat::provider
