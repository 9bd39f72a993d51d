#include "heliostat/signals/provider/day_ahead.h"

#include <fmt/format.h>

namespace heliostat::provider {

signal::Meaning DayAheadMeaning(const SignalRequest& request, std::string_view provider, AnswerRole role) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPrice;
  meaning.unit = signal::Unit::kPerMwh;
  meaning.zone = request.zone;
  meaning.source = fmt::format("provider:{}", provider);
  meaning.nature = role == AnswerRole::kMeasured ? signal::Nature::kMeasured : signal::Nature::kForecast;
  meaning.currency = Currency::Eur();
  meaning.notes = {"day-ahead auction: final when published, before taxes and fees"};
  return meaning;
}

void BlankUndelivered(std::vector<AnswerValue>& readings, Instant now, AnswerRole role) {
  if (role != AnswerRole::kMeasured) return;
  for (auto& reading : readings) {
    if (reading.begin > now) reading.value = signal::Missing();
  }
}

Provider MakeDayAheadProvider(std::string name, std::shared_ptr<Connection> connection, std::chrono::days days,
                              std::function<Result<CheckedAnswer>(Connection&, const SignalRequest&, AnswerRole)> ask) {
  const auto measured = [connection, days, ask](const SignalRequest& request) -> Result<CheckedAnswer> {
    if (const auto fine = CheckRequest(request, signal::Kind::kPrice, connection->where()); !fine) {
      return Propagate(fine);
    }
    const auto past = UpToNow(request, connection->Now(), connection->where());
    if (!past) return Propagate(past);
    return AskInPieces(*past, days,
                       [&](const SignalRequest& piece) { return ask(*connection, piece, AnswerRole::kMeasured); });
  };
  const auto forecast = [connection, days, ask](const SignalRequest& request) -> Result<IssuedAnswer> {
    if (const auto fine = CheckRequest(request, signal::Kind::kPrice, connection->where()); !fine) {
      return Propagate(fine);
    }
    auto answer = AskInPieces(
        request, days, [&](const SignalRequest& piece) { return ask(*connection, piece, AnswerRole::kForecast); });
    if (!answer) return Propagate(answer);
    const Instant issued = answer->fetched;
    return IssuedAnswer{std::move(*answer), issued};
  };
  return Provider{std::move(name), MeasuredBy(measured), ForecastBy(forecast)};
}

}  // namespace heliostat::provider
