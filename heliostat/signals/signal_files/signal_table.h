#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/signal/summary.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::signal_files {

// One column of a signal file.
struct SignalColumn {
  // The series at the step of the table. For a forecast that was issued repeatedly, the newest value for each time.
  signal::Signal signal;
  // Summary of the cells as read, before rows become steps.
  signal::Summary cells;
  // All issues of such a forecast, oldest first; empty for any other column.
  std::vector<signal::ForecastRun> runs{};
  // Another name of the column: that in the file, where the format gives it its own, or the number by which it was
  // wanted.
  std::string alias{};
};

// A signal file as read. All columns share start and step.
struct SignalTable {
  std::string file;
  std::string format;
  std::vector<SignalColumn> columns;
  std::size_t primary = 0;         // index of the main column
  std::size_t rows = 0;            // of the file, without its header
  std::size_t absent = 0;          // steps between start and end that have no row
  std::size_t dropped = 0;         // rows without a time of their own: skipped hours, repeats, bad rows
  std::size_t skipped = 0;         // bad rows, which ReadOptions allowed to skip
  std::string told;                // for users: how a table without a known format was read; else empty
  std::vector<std::string> notes;  // observations and assumptions, for users

  std::optional<tariff::Tariff> tariff;  // the source of the series, when the file is a tariff

  // The column `name`, or the primary one for an empty name. Letters may differ in case if that leaves one column.
  // kNotFound with the names when there is none. The pointer is valid as long as the table.
  Result<const SignalColumn*> Find(std::string_view name) const;
};

// Facts about the layout and the numbers of a table. An empty text means that the table is looked at.
struct TableOptions {
  std::string time_column;           // a name or number; "Date+Time" for two columns, "1+2+3+4" for year to hour
  std::vector<std::string> columns;  // names or numbers of the wanted columns
  std::string unit;                  // of the wanted columns: "EUR/MWh"; replaces that of the header
  std::string delimiter;             // "," ";" "|" or "tab"
  std::string decimal;               // "point" or "comma"
  std::string date_order;            // "day-first" or "month-first"
  std::string year;                  // of dates without one
  std::string stamps;                // "begin" or "end": what times mark of their interval
  std::vector<std::string> where;    // "COLUMN=VALUE": reads only the rows that have all of these
  bool skips_bad_rows = false;       // reads on where a row cannot be read, with a missing value
};

// Facts from the caller that the file does not contain. An empty text means that the file decides.
struct ReadOptions {
  std::string format;            // a name of KnownFormats(); empty: detected from the file
  std::string zone;              // replaces that of the file
  std::string time_zone;         // of the file's clock: "Europe/Berlin", "-07:00"
  std::string currency;          // of prices; the header must not name another
  std::string default_currency;  // of prices, where neither the file nor `currency` names one
  std::string quantity;          // "carbon", "price", "share" or "power", for tables without this fact
  std::string tariff;            // the name of one of the tariffs of the file
  std::optional<Interval> span;  // the time for which a tariff is expanded; the start of a file without times
  TableOptions table;
};

}  // namespace heliostat::signal_files
