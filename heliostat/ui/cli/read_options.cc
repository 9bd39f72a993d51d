#include "heliostat/ui/cli/read_options.h"

#include "heliostat/base/core/log.h"
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
  about.AddOption("--time-zone NAME", arguments.time_zone, "Time zone of the file's times: Europe/Berlin, UTC, -07:00");
  about.AddOption("--currency CODE", arguments.currency,
                  "Currency of prices, instead of the one that the file names: EUR, USD");
  about.AddOption("--quantity NAME", arguments.quantity,
                  "Quantity in a table whose header does not name it: carbon, price, share, power");
  about.AddOption("--tariff NAME", arguments.tariff, "Name of the tariff, in a file with several");
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

Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options) {
  auto table =
      AtFlags(signal_files::ReadSignals(path, options),
              {{"format option", "--format"}, {"quantity option", "--quantity"}, {"currency option", "--currency"}});
  if (!table) return table;
  for (const std::string& note : table->notes) Log(LogLevel::kWarning, "{}: {}", path, WithFlags(note));
  return table;
}

}  // namespace heliostat::cli
