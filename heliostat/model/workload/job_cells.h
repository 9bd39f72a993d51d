#pragma once

#include <optional>
#include <string_view>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/base/io/written_number.h"
#include "heliostat/base/io/written_time.h"

namespace heliostat::workload {

// True for an empty cell and for words that schedulers write in its place: "Unknown", "None", "N/A", "-".
bool IsAbsent(std::string_view cell);

// Numbers in cells have the decimal mark `decimal`, and may have separated thousands.

// Reads a length of time: a number of `unit`s, "[D-]HH:MM:SS", "MM:SS", "D-HH", "D-HH:MM", or "1h30m". Rounded to whole
// seconds. Nothing for any other text and for more than a century.
std::optional<Duration> ParseLength(std::string_view cell, Seconds unit, io::DecimalMark decimal);

// A time in a cell. Numbers are kept as they are, because one number does not tell whether it counts from 1970 or from
// the begin of a trace.
struct CellTime {
  std::optional<Instant> instant;  // of a date
  double number = 0.0;             // else
  bool depends_on_order = false;   // another order of day and month gives another date
  bool depends_on_zone = false;    // it states no offset
};
// Reads a date with a time of day or a number. A time without an offset is
// in `zone`; one that its clocks show twice is the first of both, one that they skip is an hour later. Nothing for any
// other text.
std::optional<CellTime> ParseCellTime(std::string_view cell, const io::TimeZone& zone, io::DecimalMark decimal,
                                      io::DateOrder order);

// Reads a number of GPUs: "4", "4.0", or what Slurm writes into AllocTRES and ReqTRES ("cpu=8,gres/gpu=4") or Gres
// ("gpu:a100:4"). A list without GPUs gives 0. Nothing for any other text. May be a fraction.
std::optional<double> ParseGpus(std::string_view cell, io::DecimalMark decimal);

}  // namespace heliostat::workload
