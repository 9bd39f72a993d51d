#include "heliostat/ui/cli/read_options.h"

#include <algorithm>
#include <filesystem>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/signals/signal/unit_text.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {

void AddReadArguments(const Syntax& syntax, ReadArguments& arguments) {
  std::string formats;
  for (const auto& facts : signal_files::KnownFormats())
    formats += (formats.empty() ? "" : ", ") + std::string(facts.name);
  const Syntax about = syntax.Group("About the file");
  about.AddOption("--format NAME", arguments.format,
                  "Format of the file; without it, detected from the content: " + formats);
  about.AddOption("--zone ZONE", arguments.zone, "Zone, instead of the one that the file names");
  about.AddOption("--currency CODE", arguments.currency, "Currency of prices, where the file names none: EUR, USD");
  about.AddOption("--quantity NAME", arguments.quantity,
                  "Quantity in a table whose header does not name it: carbon, price, share, power");
  about.AddOption("--tariff NAME", arguments.tariff, "Name of the tariff, in a file with several");
  about.AddOption("--unit UNIT", arguments.table.unit,
                  "Unit of the column, if its name does not state it: EUR/MWh, ct/kWh, p/kWh, g/kWh, lb/MWh, t/MWh, "
                  "kW, MW, MWh (energy per step), %");
  AddTableArguments(syntax, arguments);
}

void AddLayoutArguments(const Syntax& syntax, ReadArguments& arguments) {
  signal_files::TableOptions& table = arguments.table;
  const Syntax layout = syntax.Group("Signal tables of any layout");
  layout.AddOption("--time-column NAME", table.time_column,
                   "Column of times, by name or number; Date+Time for two columns (default: found by content)");
  layout.AddOption("--date-order ORDER", table.date_order,
                   "Order of dates such as 03/04/2023: day-first or month-first (default: found if certain)");
  layout.AddOption("--delimiter NAME", table.delimiter, "Between cells: comma, semicolon, tab, pipe (default: found)");
  layout.AddOption("--decimal MARK", table.decimal, "Decimal mark of numbers: point or comma (default: found)");
  layout.AddOption("--year YEAR", table.year, "Year of dates that have none");
  layout.AddOption("--stamps PLACE", table.stamps,
                   "What times mark of their interval: begin or end (default: by name, else begin)");
  layout.AddOption("--where COLUMN=VALUE", table.where, "Read only the rows with this cell: Zone=DE; may be repeated")
      .OneEach();
}

void AddTableArguments(const Syntax& syntax, ReadArguments& arguments) {
  AddLayoutArguments(syntax, arguments);
  const Syntax layout = syntax.Group("Signal tables of any layout");
  layout.AddOption("--time-zone NAME", arguments.time_zone,
                   "Time zone of times that do not state it: Europe/Berlin, UTC, -07:00");
  layout.AddFlag("--skip-bad-rows", arguments.table.skips_bad_rows,
                 "Go on where a row cannot be read; its value is missing, and the rows are counted");
}

void AddUnits(const Syntax& syntax, std::vector<std::string>& units) {
  syntax
      .AddOption("--unit UNIT", units,
                 "Unit of a column whose name does not state it, for the file of that quantity: EUR/MWh, ct/kWh, "
                 "g/kWh, lb/MWh, kW; repeat it for more files")
      .OneEach()
      .SplitAt(',');
}

Result<std::string> UnitFor(signal::Kind kind, const std::vector<std::string>& units) {
  for (const std::string& text : units) {
    const auto unit = signal::ParseUnit(text, "--unit");
    if (!unit) return Propagate(unit);
    if (unit->kind == kind) return text;
  }
  return std::string();
}

Status RefuseUnits(const std::vector<std::string>& units, std::initializer_list<signal::Kind> kinds) {
  std::vector<signal::Kind> seen;
  for (const std::string& text : units) {
    const auto unit = signal::ParseUnit(text, "--unit");
    if (!unit) return Propagate(unit);
    if (std::ranges::find(kinds, unit->kind) == kinds.end()) {
      return Fail(ErrorCode::kInvalidArgument, "--unit",
                  "'" + Printable(text, 40) + "' is a unit of " + std::string(NameOf(unit->kind)),
                  "no file of that quantity is given");
    }
    if (std::ranges::find(seen, unit->kind) != seen.end()) {
      return Fail(ErrorCode::kInvalidArgument, "--unit",
                  "'" + Printable(text, 40) + "' is the second unit of " + std::string(NameOf(unit->kind)),
                  "one for each quantity");
    }
    seen.push_back(unit->kind);
  }
  return {};
}

void AddSpanArguments(const Syntax& syntax, ReadArguments& arguments, const std::string& of_what) {
  syntax.AddOption("--start DATE", arguments.start, "First time of " + of_what + ", UTC: 2023-06-01T00:00:00Z");
  syntax.AddOption("--end DATE", arguments.end, "End of " + of_what + ", UTC, exclusive");
}

Result<signal_files::ReadOptions> ToReadOptions(const ReadArguments& arguments) {
  signal_files::ReadOptions options;
  options.format = arguments.format;
  options.zone = arguments.zone;
  options.time_zone = arguments.time_zone;
  options.currency = arguments.currency;
  options.quantity = arguments.quantity;
  options.tariff = arguments.tariff;
  options.table = arguments.table;
  if (!arguments.currency.empty() && !Currency::Parse(arguments.currency)) {
    return Fail(ErrorCode::kInvalidArgument, "--currency",
                "'" + Printable(arguments.currency, 20) + "' is not a currency", "three capital letters such as EUR");
  }
  if (!arguments.end.empty() && arguments.start.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--end", "is given without --start", "give both, or --start alone");
  }
  if (arguments.start.empty()) return options;
  const auto start = ParseInstant(arguments.start, "--start");
  if (!start) return Propagate(start);
  options.span = Interval{*start, *start + std::chrono::days{365}};
  if (!arguments.end.empty()) {
    const auto end = ParseInstant(arguments.end, "--end");
    if (!end) return Propagate(end);
    options.span->end = *end;
  }
  if (options.span->empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--end", arguments.end + " is not after " + arguments.start,
                "must be later than --start");
  }
  return options;
}

Result<std::string> ReadSignalBytes(const std::string& path) {
  return path == "-" ? io::ReadStandardInput() : io::ReadTextFile(path);
}

std::string NameOfInput(const std::string& path) { return path == "-" ? "stdin" : path; }

Result<signal_files::SignalTable> ReadTextAndTell(std::string_view text, const std::string& path,
                                                  const signal_files::ReadOptions& options) {
  auto table =
      AtFlags(signal_files::ReadSignalText(text, NameOfInput(path), options), {{"format option", "--format"},
                                                                               {"quantity option", "--quantity"},
                                                                               {"currency option", "--currency"},
                                                                               {"unit option", "--unit"},
                                                                               {"delimiter option", "--delimiter"},
                                                                               {"decimal option", "--decimal"},
                                                                               {"date-order option", "--date-order"},
                                                                               {"where option", "--where"},
                                                                               {"stamps option", "--stamps"},
                                                                               {"time zone", "--time-zone"}});
  if (!table) return table;
  if (!table->told.empty()) Log(LogLevel::kInfo, "{}: {}", table->file, table->told);
  for (const std::string& note : table->notes) Log(LogLevel::kWarning, "{}: {}", table->file, WithFlags(note));
  return table;
}

Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options) {
  const auto text = ReadSignalBytes(path);
  if (!text) return Propagate(text);
  return ReadTextAndTell(*text, path, options);
}

FileColumn SplitColumn(const std::string& text) {
  std::error_code ignored;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text, ignored)) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace heliostat::cli
