#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// What the providers of day-ahead prices share.
signal::Meaning DayAheadMeaning(const Request& request, std::string_view provider, Role role);

// Makes missing what is delivered after now and must not count as measured: an
// auction publishes tomorrow's prices, so that they are no sign of a broken answer.
void BlankUndelivered(std::vector<Reading>& readings, Instant now, Role role);

// A provider whose two roles are one question. `ask` gets at most `days` at once.
Provider MakeDayAheadProvider(std::string name, std::shared_ptr<Connection> connection, std::chrono::days days,
                              std::function<Result<Answer>(Connection&, const Request&, Role)> ask);

}  // namespace heliostat::provider
