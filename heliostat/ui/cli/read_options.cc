#include "heliostat/ui/cli/read_options.h"

#include "heliostat/base/core/log.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {

void AddReadArguments(const Syntax& syntax, ReadArguments& arguments) {
  std::string formats;
  for (const auto& facts : signal_files::KnownFormats())
    formats += (formats.empty() ? "" : ", ") + std::string(facts.name);
  syntax.AddOption("--format", arguments.format, "Read as this format instead of by looking: " + formats);
  syntax.AddOption("--zone", arguments.zone, "Zone, where the file does not name it");
  syntax.AddOption("--time-zone", arguments.time_zone, "Clock of the file: Europe/Berlin, UTC, -07:00");
  syntax.AddOption("--currency", arguments.currency, "Currency of prices: EUR, USD, ...");
  syntax.AddOption("--quantity", arguments.quantity, "What a bare table holds: carbon, price, share, power");
  syntax.AddOption("--tariff", arguments.tariff, "Which tariff, by name, of a file with several");
}

void AddSpanArguments(const Syntax& syntax, ReadArguments& arguments, const std::string& of_what) {
  syntax.AddOption("--start", arguments.start, "First time of " + of_what + ", UTC: 2023-06-01T00:00:00Z");
  syntax.AddOption("--end", arguments.end, "End of " + of_what + ", itself not included");
}

Result<signal_files::ReadOptions> ToReadOptions(const ReadArguments& arguments) {
  signal_files::ReadOptions options;
  options.format = arguments.format;
  options.zone = arguments.zone;
  options.time_zone = arguments.time_zone;
  options.currency = arguments.currency;
  options.quantity = arguments.quantity;
  options.tariff = arguments.tariff;
  if (!arguments.currency.empty() && !Currency::Parse(arguments.currency)) {
    return Fail(ErrorCode::kInvalidArgument, "--currency", "'" + Printable(arguments.currency, 20) + "' is no currency",
                "three capital letters such as EUR");
  }
  if (!arguments.end.empty() && arguments.start.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--end", "is given without a beginning", "say --start too");
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

Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options) {
  auto table =
      AtFlags(signal_files::ReadSignals(path, options),
              {{"format option", "--format"}, {"quantity option", "--quantity"}, {"currency option", "--currency"}});
  if (!table) return table;
  for (const std::string& note : table->notes) Log(LogLevel::kWarning, "{}: {}", path, note);
  return table;
}

}  // namespace heliostat::cli
