#include "heliostat/ui/cli/run_signals.h"

#include <fmt/format.h>

#include <filesystem>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/log.h"
#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/forecasting/live_signal/feed_signal.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/user_config/grid.h"

namespace heliostat::cli {
namespace {

using user_config::Config;
using user_config::Key;

constexpr Duration kDay = std::chrono::days(1);

// Where in a file the replay starts: at --carbon-start; else now, if the file covers now and --speed-up is 1; else one
// day after the start of the file, so that forecasts have a history.
Result<live_signal::Replay> ReplayOf(const SignalArguments& arguments, const signal::Signal& signal, Instant now) {
  live_signal::Replay replay{now, now, arguments.speed};
  if (!arguments.start.empty()) {
    const auto start = ParseInstant(arguments.start, "--carbon-start");
    if (!start) return Propagate(start);
    replay.signal_start = *start;
    return replay;
  }
  const Interval span = signal.series.span();
  if (span.Contains(now) && arguments.speed == 1.0) return replay;
  replay.signal_start = span.length() > 2 * kDay ? span.begin + kDay : span.begin;
  return replay;
}

// Reads a signal in the unit of canonical files: g/kWh, or currency per kWh.
Result<signal::Signal> ReadSignal(const SignalArguments& arguments, const std::string& path, const std::string& column,
                                  signal::Kind kind) {
  ReadArguments read = arguments.read;
  read.currency = kind == signal::Kind::kPrice ? arguments.currency : "";
  if (!column.empty()) read.table.columns = {column};
  const auto unit = UnitFor(kind, arguments.units);
  if (!unit) return Propagate(unit);
  read.table.unit = *unit;
  const auto options = ToReadOptions(read);
  if (!options) return Propagate(options);
  const auto table = ReadAndTell(path, *options);
  if (!table) return Propagate(table);
  const auto found = table->Find(column);
  if (!found) return Propagate(found);
  signal::Signal signal = (*found)->signal;
  if (signal.meaning.kind != kind) {
    const bool is_unknown = signal.meaning.kind == signal::Kind::kOther;
    return Fail(
        ErrorCode::kInvalidArgument, table->file,
        is_unknown ? fmt::format("column '{}' does not state its unit", Printable(signal.name, 60))
                   : fmt::format("holds {}", signal::NameOf(signal.meaning.kind)),
        is_unknown ? "set --unit, such as g/kWh or EUR/MWh" : fmt::format("a file of {}", signal::NameOf(kind)));
  }
  if (kind == signal::Kind::kPrice && !signal.meaning.currency) {
    return Fail(ErrorCode::kInvalidArgument, path, "holds prices without a currency", "name it with --currency");
  }
  const signal::CanonicalUnit canonical = signal::ToCanonical(kind, signal.meaning.unit);
  signal.series = signal.series.Scaled(canonical.factor);
  signal.meaning.unit = canonical.unit;
  return signal;
}

Result<std::unique_ptr<live_signal::SignalSource>> FromFile(const SignalArguments& arguments, const std::string& path,
                                                            const signal::Signal& signal, Instant now) {
  const auto replay = ReplayOf(arguments, signal, now);
  if (!replay) return Propagate(replay);
  std::string name = "file " + std::filesystem::path(path).filename().string();
  if (replay->signal_start != now || arguments.speed != 1.0) {
    name += fmt::format(", replayed from {}", FormatInstant(replay->signal_start));
    if (arguments.speed != 1.0) name += fmt::format(" {:g} times as fast", arguments.speed);
    Log(LogLevel::kInfo, "{}", name);
  }
  return live_signal::RecordedSignal::Make(std::move(name), signal, *replay, arguments.model);
}

Result<std::unique_ptr<live_signal::SignalSource>> CarbonOf(const SignalArguments& arguments, Instant now) {
  const auto signal = ReadSignal(arguments, arguments.carbon, arguments.column, signal::Kind::kCarbonIntensity);
  if (!signal) return Propagate(signal);
  return FromFile(arguments, arguments.carbon, *signal, now);
}

Result<std::unique_ptr<live_signal::SignalSource>> FromZone(const SignalArguments& arguments, Instant now) {
  const Instant hour = std::chrono::floor<std::chrono::hours>(now);
  const auto signal = synthetic::Generate({.zone = arguments.zone,
                                           .trace = synthetic::TraceKind::kCarbon,
                                           .interval = {hour - std::chrono::days(28), hour + std::chrono::days(366)},
                                           .step = Duration(3600)});
  if (!signal) return Propagate(signal);
  SignalArguments here = arguments;
  if (here.start.empty()) here.start = FormatInstant(now);
  const auto replay = ReplayOf(here, *signal, now);
  if (!replay) return Propagate(replay);
  Log(LogLevel::kInfo, "'{}' is a built-in zone: its signal is generated, not measured", arguments.zone);
  return live_signal::RecordedSignal::Make("built-in zone " + arguments.zone, *signal, *replay, arguments.model);
}

// Takes what is not given on the command line from the configuration. Of a file and a zone the one of the stronger
// origin counts, of the same origin the file.
void Complete(SignalArguments& arguments, const Config& config) {
  const user_config::Value& file = config.at(Key::kCarbon);
  const bool names_signal = !arguments.carbon.empty() || !arguments.zone.empty() || !arguments.provider.empty();
  if (!names_signal && file.origin >= config.at(Key::kZone).origin) arguments.carbon = file.text;
  if (arguments.price.empty()) arguments.price = config.text(Key::kPrice);
  if (arguments.currency.empty()) arguments.currency = config.text(Key::kCurrency);
}

// The signal of a zone. `is_known` becomes false where there is none to follow.
Result<std::unique_ptr<live_signal::SignalSource>> FromGrid(SignalArguments& arguments, const Config& config,
                                                            const Environment& environment, const Clock& clock,
                                                            bool& is_known) {
  const user_config::Grid grid = user_config::ChooseGrid(config, environment, arguments.zone, arguments.provider);
  const bool is_asked = !arguments.zone.empty() || !arguments.provider.empty();
  if (!grid.trouble.empty() && is_asked && config.text(Key::kProvider).empty() && !arguments.zone.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--zone",
                fmt::format("'{}' is not a built-in zone, and {}", Printable(grid.zone, 40), grid.trouble),
                "add --provider for a live signal; heliostat signal zones lists the built-in zones");
  }
  if (!grid.trouble.empty()) {
    Log(LogLevel::kInfo, "measuring only: {}", grid.trouble);
    is_known = false;
    return std::unique_ptr<live_signal::SignalSource>(std::make_unique<live_signal::NoSignal>());
  }
  arguments.zone = grid.zone;
  if (!is_asked) {
    Log(LogLevel::kInfo, "zone {} ({}){}", grid.zone, grid.from,
        grid.provider.empty() ? "" : ", carbon intensity from " + grid.provider);
  }
  if (grid.provider.empty()) return FromZone(arguments, clock.Now());
  return AtFlags(live_signal::FeedSignal::Open(grid.provider, grid.zone, arguments.model, environment, clock),
                 {{"provider", "--provider"}});
}

}  // namespace

void AddSignalArguments(const Syntax& syntax, SignalArguments& arguments) {
  syntax.AddOption("--carbon FILE", arguments.carbon, "File of carbon intensity to follow, in any format; - for stdin");
  syntax.AddOption("--column,--value-column NAME", arguments.column, "Column of --carbon (default: the main column)");
  syntax.AddOption("--zone ZONE", arguments.zone,
                   "Zone of --provider, or a built-in zone (default: as configured, else by the time zone)");
  syntax.AddOption("--provider NAME", arguments.provider,
                   "Live provider of --zone; heliostat signal fetch --list lists them");
  syntax.AddOption("--price FILE[:COLUMN]", arguments.price,
                   "Prices to follow, alone or together with carbon (--price-weight)");
  syntax.AddOption("--currency CODE", arguments.currency, "Currency of --price, where the file names none: EUR, USD");
  AddUnits(syntax, arguments.units);
  AddTableArguments(syntax, arguments.read);
  syntax.AddOption("--carbon-start DATE", arguments.start, "Time in the file at which the replay starts, UTC");
  syntax
      .AddOption("--speed-up FACTOR", arguments.speed,
                 "Replay the file this many times as fast; at 60, an hour takes a minute")
      .Between(1.0, 1e5);
  syntax.AddOption("--forecast NAME", arguments.model, "Forecast model; heliostat forecast models lists them")
      .ShowDefault();
}

Result<Signals> OpenSignals(SignalArguments arguments, const Config& config, const Environment& environment,
                            const Clock& clock) {
  if (!arguments.carbon.empty() && !arguments.zone.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "--carbon and --zone are both given",
                "either --carbon FILE or --zone ZONE");
  }
  if (const auto known = forecast::FindModel(arguments.model); !known) return Propagate(known);
  Complete(arguments, config);
  const auto units =
      RefuseUnits(arguments.units, {arguments.carbon.empty() ? signal::Kind::kOther : signal::Kind::kCarbonIntensity,
                                    arguments.price.empty() ? signal::Kind::kOther : signal::Kind::kPrice});
  if (!units) return Propagate(units);
  const Instant now = clock.Now();
  Signals signals;
  auto carbon = !arguments.carbon.empty() ? CarbonOf(arguments, now)
                                          : FromGrid(arguments, config, environment, clock, signals.has_carbon);
  if (!carbon) return Propagate(carbon);
  signals.carbon = std::move(*carbon);
  if (arguments.price.empty()) return signals;
  const FileColumn file = SplitColumn(arguments.price);
  const auto prices = ReadSignal(arguments, file.file, file.column, signal::Kind::kPrice);
  if (!prices) return Propagate(prices);
  auto price = FromFile(arguments, file.file, *prices, now);
  if (!price) return Propagate(price);
  signals.price = std::move(*price);
  signals.currency = prices->meaning.currency;
  return signals;
}

}  // namespace heliostat::cli
