#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/ledger/record.h"

namespace heliostat::ledger {

// A run as its ledger tells it.
struct Run {
  std::string id;
  Begin begin;
  std::vector<Period> periods;
  std::vector<Note> notes;
  std::optional<EndRecord> end;       // nothing: it goes on, or was cut off
  std::vector<std::string> troubles;  // "the last 17 bytes are torn, dropped": of the file, not of the run

  Seconds elapsed() const;
  // End of the last period, or the start.
  Instant last() const { return periods.empty() ? begin.start : periods.back().end; }
};

// The run in the bytes of a ledger. Torn and damaged lines are left out and told in `troubles`, and so are members and
// records of a newer version; a record that makes no sense is an error that names `where` and the record's place.
Result<Run> ParseRun(std::string_view bytes, std::string id, const std::string& where);
// Looks only: a ledger that is being written is left as it is.
Result<Run> ReadRun(const std::string& path, std::string id);

// Parts put together again: one period a decision, in order. A decision whose parts differ in what they were charged at
// (a new value of the signal came in between) stays apart there.
std::vector<Period> Decisions(std::span<const Period> periods);

// "train" for {"python3", "-u", "train.py"}: what people call a program.
std::string ProgramName(std::span<const std::string> command);

}  // namespace heliostat::ledger
