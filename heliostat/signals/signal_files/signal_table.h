#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/signal/summary.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::signal_files {

// One column of a file.
struct SignalColumn {
  // The series on the table's own steps. Of a forecast that was issued again
  // and again, the newest value for each time.
  signal::Signal signal;
  // Of the cells as they stand in the file, before rows become steps.
  signal::Summary cells;
  // Every issue of such a forecast, oldest first; empty for any other column.
  std::vector<signal::ForecastRun> runs;
};

// A signal file as read: all columns share start and step.
struct SignalTable {
  std::string file;
  std::string format;
  std::vector<SignalColumn> columns;
  std::size_t primary = 0;         // the column that a reader most likely wants
  std::size_t rows = 0;            // in the file, its header not counted
  std::size_t absent = 0;          // steps between start and end that have no row
  std::size_t dropped = 0;         // rows that stand for no time of their own: skipped hours, repeats
  std::vector<std::string> notes;  // what was noticed and assumed, for people

  std::optional<tariff::Tariff> tariff;  // behind the series, when the file is a tariff

  // The column called `name`, or the primary one for an empty name.
  Result<const SignalColumn*> Find(std::string_view name) const;
};

// What a caller knows that the file does not say.
struct ReadOptions {
  std::string format;            // a name of KnownFormats(); empty: found out from the file
  std::string zone;              // replaces the file's own
  std::string time_zone;         // of the file's clock: "Europe/Berlin", "-07:00"
  std::string currency;          // replaces the header's
  std::string quantity;          // "carbon", "price", "share" or "power", for tables that do not say
  std::string tariff;            // which of a file's tariffs, by name
  std::optional<Interval> span;  // what a tariff is laid over; the start of a file without a clock
};

}  // namespace heliostat::signal_files
