#include "heliostat/signals/provider/watttime.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::provider {
namespace {

constexpr std::string_view kWhere = "provider watttime";
constexpr double kGramsPerPound = 453.59237;
constexpr double kKwhPerMwh = 1000;
constexpr std::chrono::days kMostDays{32};  // per request, as documented
constexpr Duration kTokenLife{25 * 60};     // five minutes less than documented
constexpr std::int64_t kMostHorizonHours = 72;

signal::Meaning MeaningOf(const SignalRequest& request, AnswerRole role) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.zone = request.zone;
  meaning.source = "provider:watttime";
  // Which plant would have followed the load cannot be measured.
  meaning.nature = role == AnswerRole::kMeasured ? signal::Nature::kModelled : signal::Nature::kForecast;
  meaning.basis = signal::Basis::kDirect;
  meaning.scope = signal::Scope::kMarginal;
  return meaning;
}

Result<Duration> CheckedPeriod(const io::Json& meta, const SignalRequest& request) {
  if (const auto zone = ExpectText(meta, "region", request.zone); !zone) return Propagate(zone);
  if (const auto type = ExpectText(meta, "signal_type", "co2_moer"); !type) return Propagate(type);
  if (const auto units = ExpectText(meta, "units", "lbs_co2_per_mwh"); !units) return Propagate(units);
  const auto member = meta.Get("data_point_period_seconds");
  if (!member) return Propagate(member);
  const auto seconds = (*member)->Integer();
  if (!seconds) return Propagate(seconds);
  if (*seconds <= 0 || *seconds > 86400) {
    return Fail(ErrorCode::kCorrupt, (*member)->where(), fmt::format("is {}", *seconds), "must be 1 to 86400");
  }
  return Duration{*seconds};
}

Result<std::vector<AnswerValue>> ReadPoints(const io::Json& root) {
  const auto data = root.Get("data");
  if (!data) return Propagate(data);
  const auto points = (*data)->Elements();
  if (!points) return Propagate(points);
  std::vector<AnswerValue> readings;
  for (const auto& point : **points) {
    const auto time = TimeOf(point, "point_time");
    if (!time) return Propagate(time);
    const auto pounds_per_mwh = NumberOrMissing(point, "value");
    if (!pounds_per_mwh) return Propagate(pounds_per_mwh);
    readings.push_back({*time, *pounds_per_mwh * kGramsPerPound / kKwhPerMwh});
  }
  return readings;
}

Result<signal::Signal> ReadSignal(const io::Json& root, const SignalRequest& request, Instant now, AnswerRole role) {
  const auto meta = root.Get("meta");
  if (!meta) return Propagate(meta);
  const auto period = CheckedPeriod(**meta, request);
  if (!period) return Propagate(period);
  auto readings = ReadPoints(root);
  if (!readings) return Propagate(readings);
  AnswerRules rules{std::string(kWhere), MeaningOf(request, role), request.span, *period, std::nullopt};
  if (role == AnswerRole::kMeasured) rules.now = now;
  return CheckReadings(std::move(*readings), rules);
}

std::string Base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, text.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < count ? static_cast<unsigned char>(text[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) encoded += k <= count ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return encoded;
}

// A user and the token that a login returns, valid for half an hour.
class Account {
 public:
  Account(std::shared_ptr<Connection> connection, Secret user, Secret password)
      : connection_(std::move(connection)), user_(std::move(user)), password_(std::move(password)) {}

  Result<std::string> Get(const Url& url) {
    const bool had_token = token_.has_value() && connection_->Now() - logged_in_ < kTokenLife;
    auto body = GetWithToken(url, had_token);
    // The server may have revoked an old token; a new one is not retried.
    if (!body && body.error().code == ErrorCode::kPermissionDenied && had_token) return GetWithToken(url, false);
    return body;
  }
  Connection& connection() { return *connection_; }

 private:
  Result<std::string> GetWithToken(const Url& url, bool keep_token) {
    if (!keep_token) {
      if (const auto done = LogIn(); !done) return Propagate(done);
    }
    return connection_->Get(url, {{"Authorization", "Bearer " + token_->Reveal()}});
  }

  Status LogIn() {
    token_.reset();
    const std::string login = "Basic " + Base64(user_.Reveal() + ":" + password_.Reveal());
    const auto body = connection_->Get(connection_->At("/login"), {{"Authorization", login}});
    if (!body) return Propagate(body);
    const std::string where = connection_->where() + " login";
    const auto root = ParseBody(*body, where);
    if (!root) return Propagate(root);
    const auto member = AsCorrupt(root->Get("token"));
    if (!member) return Propagate(member);
    const auto text = AsCorrupt((*member)->Text());
    if (!text) return Propagate(text);
    const bool is_header_safe = std::ranges::all_of(*text, [](char c) { return c > ' ' && c < 0x7F; });
    if (text->empty() || !is_header_safe)
      return Fail(ErrorCode::kCorrupt, where, "gives a token that is empty or holds blanks or control characters");
    token_.emplace(*text);
    logged_in_ = connection_->Now();
    return {};
  }

  std::shared_ptr<Connection> connection_;
  Secret user_;
  Secret password_;
  std::optional<Secret> token_;
  Instant logged_in_;
};

Url UrlOf(const Connection& connection, std::string_view path, const SignalRequest& request) {
  Url url = connection.At(path);
  url.Query("region", request.zone).Query("signal_type", "co2_moer");
  return url;
}

Result<CheckedAnswer> AskPast(Account& account, const SignalRequest& piece) {
  Url url = UrlOf(account.connection(), "/v3/historical", piece);
  url.Query("start", FormatInstant(piece.span.begin)).Query("end", FormatInstant(piece.span.end));
  const auto body = account.Get(url);
  if (!body) return Propagate(body);
  const Instant now = account.connection().Now();
  auto signal = ParseWattTimeHistorical(*body, piece, now);
  if (!signal) return Propagate(signal);
  return CheckedAnswer{std::move(*signal), now, url.shown()};
}

Result<CheckedAnswer> Measured(Account& account, const SignalRequest& request) {
  const auto& where = account.connection().where();
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, where); !fine) return Propagate(fine);
  const auto past = UpToNow(request, account.connection().Now(), where);
  if (!past) return Propagate(past);
  return AskInPieces(*past, kMostDays, [&](const SignalRequest& piece) { return AskPast(account, piece); });
}

Result<IssuedAnswer> Forecast(Account& account, const SignalRequest& request) {
  const auto& where = account.connection().where();
  if (const auto fine = CheckRequest(request, signal::Kind::kCarbonIntensity, where); !fine) return Propagate(fine);
  const auto hours = std::chrono::ceil<std::chrono::hours>(request.span.end - account.connection().Now()).count();
  Url url = UrlOf(account.connection(), "/v3/forecast", request);
  url.Query("horizon_hours", std::to_string(std::clamp<std::int64_t>(hours, 1, kMostHorizonHours)));
  const auto body = account.Get(url);
  if (!body) return Propagate(body);
  const Instant now = account.connection().Now();
  auto issued = ParseWattTimeForecast(*body, request, now);
  if (!issued) return Propagate(issued);
  return IssuedAnswer{{std::move(issued->signal), now, url.shown()}, issued->issued};
}

}  // namespace

Result<signal::Signal> ParseWattTimeHistorical(std::string_view body, const SignalRequest& request, Instant now) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  return AsCorrupt(ReadSignal(*root, request, now, AnswerRole::kMeasured));
}

Result<IssuedSignal> ParseWattTimeForecast(std::string_view body, const SignalRequest& request, Instant now) {
  const auto root = ParseBody(body, std::string(kWhere));
  if (!root) return Propagate(root);
  auto signal = AsCorrupt(ReadSignal(*root, request, now, AnswerRole::kForecast));
  if (!signal) return Propagate(signal);
  const auto meta = AsCorrupt(root->Get("meta"));
  if (!meta) return Propagate(meta);
  const auto issued = TimeOf(**meta, "generated_at", false);
  if (!issued) return Propagate(issued);
  if (const auto fine = CheckIssued(*issued, now, std::string(kWhere)); !fine) return Propagate(fine);
  return IssuedSignal{std::move(*signal), *issued};
}

Result<Provider> MakeWattTime(const Dependencies& dependencies) {
  auto connection = Connection::Open(dependencies, {"watttime", "https://api.watttime.org", {10, Duration{1}}});
  if (!connection) return Propagate(connection);
  auto user = ReadSecret(dependencies.environment, VariableOf("watttime", "USER"));
  if (!user) return Propagate(user);
  auto password = ReadSecret(dependencies.environment, VariableOf("watttime", "PASSWORD"));
  if (!password) return Propagate(password);
  const auto account = std::make_shared<Account>(*connection, std::move(*user), std::move(*password));
  return Provider{"watttime",
                  MeasuredBy([account](const SignalRequest& request) { return Measured(*account, request); }),
                  ForecastBy([account](const SignalRequest& request) { return Forecast(*account, request); })};
}

}  // namespace heliostat::provider
