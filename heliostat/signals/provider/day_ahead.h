#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The meaning of day-ahead prices: EUR/MWh, measured or forecast by `role`.
signal::Meaning DayAheadMeaning(const SignalRequest& request, std::string_view provider, AnswerRole role);

// For kMeasured, makes prices of hours after `now` missing. An auction publishes the prices of the next day, so they
// are neither measurements nor a sign of a corrupt answer.
void BlankUndelivered(std::vector<AnswerValue>& readings, Instant now, AnswerRole role);

// A provider that answers both roles with the same request. `ask` gets at most `days` per call.
Provider MakeDayAheadProvider(std::string name, std::shared_ptr<Connection> connection, std::chrono::days days,
                              std::function<Result<CheckedAnswer>(Connection&, const SignalRequest&, AnswerRole)> ask);

}  // namespace heliostat::provider
