#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// What the providers of day-ahead prices share.
signal::Meaning DayAheadMeaning(const SignalRequest& request, std::string_view provider, AnswerRole role);

// Makes missing what is delivered after now and must not count as measured: an
// auction publishes tomorrow's prices, so that they are no sign of a broken answer.
void BlankUndelivered(std::vector<AnswerValue>& readings, Instant now, AnswerRole role);

// A provider whose two roles are one question. `ask` gets at most `days` at once.
Provider MakeDayAheadProvider(std::string name, std::shared_ptr<Connection> connection, std::chrono::days days,
                              std::function<Result<CheckedAnswer>(Connection&, const SignalRequest&, AnswerRole)> ask);

}  // namespace heliostat::provider
