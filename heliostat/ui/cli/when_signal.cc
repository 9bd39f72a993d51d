#include "heliostat/ui/cli/when_signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/io/http_client.h"
#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/store/default_path.h"
#include "heliostat/signals/store/feed.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/ui/cli/forecast_history.h"
#include "heliostat/ui/user_config/config.h"
#include "heliostat/ui/user_config/grid.h"

namespace heliostat::cli {
namespace {

using user_config::Config;
using user_config::Key;

// The history that a built-in zone and a provider give.
constexpr Duration kBuiltInHistory = std::chrono::days{120};
constexpr Duration kProviderHistory = std::chrono::days{28};

// The time of the question: --at, else now if the signal reaches it, else the end of the signal.
Result<Instant> TimeOf(const WhenSignalArguments& arguments, const forecast::History& known, Instant clock) {
  const Interval span = known.target.series.span();
  if (arguments.at.empty()) return span.Contains(clock) ? clock : span.end;
  const auto at = ParseInstant(arguments.at, "--at");
  if (!at) return Propagate(at);
  if (*at > span.begin && *at <= span.end) return *at;
  return Fail(ErrorCode::kInvalidArgument, "--at", FormatInstant(*at) + " is outside the file",
              fmt::format("after {}, at most {}", FormatInstant(span.begin), FormatInstant(span.end)));
}

// A value that is missing after `now` ends what is known.
Result<forecast::History> UntilGap(const forecast::History& known, Instant now) {
  const signal::StepSeries& series = known.target.series;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Instant begin = series.TimeOf(i);
    if (begin + series.step() > now && signal::IsMissing(series.values()[i])) return Before(known, begin);
  }
  return known;
}

Result<WhenSignal> FromFile(const WhenSignalArguments& arguments, const std::string& file, signal::Kind kind,
                            Instant clock) {
  HistoryArguments history;
  history.file = file;
  history.column = arguments.column;
  history.read = arguments.read;
  history.read.currency = kind == signal::Kind::kPrice ? arguments.currency : "";
  auto known = ReadHistory(history);
  if (!known) return Propagate(known);
  if (known->target.meaning.kind != kind) {
    return Fail(ErrorCode::kInvalidArgument, file, fmt::format("holds {}", NameOf(known->target.meaning.kind)),
                fmt::format("a file of {}", NameOf(kind)));
  }
  const auto now = TimeOf(arguments, *known, clock);
  if (!now) return Propagate(now);
  // With --at, the file is a record of the past: nothing at or after that time was known.
  const Duration step = known->step();
  const Instant origin = known->target.series.start() + (*now - known->target.series.start()) / step * step;
  auto cut = arguments.at.empty() ? UntilGap(*known, *now) : Before(*known, origin);
  if (!cut) return Propagate(cut);
  return WhenSignal{"file " + std::filesystem::path(file).filename().string(), *now, *std::move(cut)};
}

Result<WhenSignal> FromZone(const WhenSignalArguments& arguments, const std::string& zone, Instant now) {
  if (!arguments.at.empty()) {
    const auto at = ParseInstant(arguments.at, "--at");
    if (!at) return Propagate(at);
    now = *at;
  }
  const Instant hour = std::chrono::floor<std::chrono::hours>(now);
  auto signal = synthetic::Generate({.zone = zone,
                                     .trace = synthetic::TraceKind::kCarbon,
                                     .interval = {hour - kBuiltInHistory, hour},
                                     .step = Duration{3600}});
  if (!signal) return Propagate(signal);
  Log(LogLevel::kInfo, "'{}' is a built-in zone: its signal is generated, not measured", zone);
  return WhenSignal{"built-in zone " + zone, now, {*std::move(signal), {}, {}}};
}

// The values from the first that is known to the last.
Result<signal::Signal> KnownPart(const signal::Signal& signal, const std::string& name) {
  const auto& values = signal.series.values();
  const auto is_known = [](double value) { return !signal::IsMissing(value); };
  const auto first = std::ranges::find_if(values, is_known);
  if (first == values.end()) {
    return Fail(ErrorCode::kUnavailable, name, "has no value", "ask again later, or another provider");
  }
  const auto last = std::find_if(values.rbegin(), values.rend(), is_known).base();
  auto part = signal.series.Slice({signal.series.TimeOf(static_cast<std::size_t>(first - values.begin())),
                                   signal.series.TimeOf(static_cast<std::size_t>(last - values.begin()))});
  if (!part) return Propagate(part);
  return signal::Signal{signal.name, signal.meaning, *std::move(part)};
}

Result<WhenSignal> FromProvider(const std::string& provider, const std::string& zone, const Environment& environment,
                                Clock& clock) {
  const auto facts = provider::FindProvider(provider);
  if (!facts) return Propagate(facts);
  const auto path = store::DefaultStorePath(environment);
  if (!path) return Propagate(path);
  auto opened = store::SignalStore::Open(*path);
  if (!opened) return Propagate(opened);
  io::CurlHttpClient http;
  const RandomStream random(static_cast<std::uint64_t>(clock.Steady().time_since_epoch().count()));
  const auto source = provider::MakeProvider(provider, {http, clock, random, environment, std::nullopt, {}});
  if (!source) return Propagate(source);
  const Instant now = std::chrono::floor<std::chrono::minutes>(clock.Now());
  const provider::SignalRequest request{
      zone, facts->kind, {std::chrono::floor<std::chrono::hours>(now - kProviderHistory), now}};
  const auto answer = store::Feed(*opened, clock, *source).Get(request, std::chrono::hours{1});
  if (!answer) return Propagate(answer);
  const std::string name = provider + " " + zone;
  if (answer->freshness != signal::Freshness::kMeasured) Log(LogLevel::kWarning, "{}: {}", name, answer->explanation);
  auto known = KnownPart(answer->signal, name);
  if (!known) return Propagate(known);
  return WhenSignal{name, now, {*std::move(known), {}, {}}};
}

}  // namespace

void AddWhenSignalArguments(const Syntax& syntax, WhenSignalArguments& arguments) {
  syntax.AddOption("--carbon FILE", arguments.carbon, "File of carbon intensity, in any format; - for stdin");
  syntax.AddOption("--price FILE", arguments.price, "File of prices, to save money instead of carbon");
  syntax.AddOption("--column,--value-column NAME", arguments.column, "Column of the file (default: the main column)");
  syntax.AddOption("--currency CODE", arguments.currency, "Currency of --price, where the file names none: EUR, USD");
  syntax.AddOption("--unit UNIT", arguments.read.table.unit,
                   "Unit of the column, if its name does not state it: EUR/MWh, ct/kWh, g/kWh, lb/MWh");
  AddTableArguments(syntax, arguments.read);
  syntax.AddOption("--zone ZONE", arguments.zone,
                   "Zone of --provider, or a built-in zone (default: as configured, else by the time zone)");
  syntax.AddOption("--provider NAME", arguments.provider,
                   "Live provider of --zone; heliostat signal fetch --list lists them");
  syntax.AddOption(
      "--at DATE", arguments.at,
      "Ask at this time, UTC, with only earlier values (default: now; the end of a file that ends earlier)");
}

Result<WhenSignal> OpenWhenSignal(const WhenSignalArguments& arguments) {
  const bool names_zone = !arguments.zone.empty() || !arguments.provider.empty();
  const int given = (arguments.carbon.empty() ? 0 : 1) + (arguments.price.empty() ? 0 : 1) + (names_zone ? 1 : 0);
  if (given > 1) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "more than one signal is given",
                "one of --carbon FILE, --price FILE and --zone ZONE");
  }
  SystemClock clock;
  if (!arguments.carbon.empty())
    return FromFile(arguments, arguments.carbon, signal::Kind::kCarbonIntensity, clock.Now());
  if (!arguments.price.empty()) return FromFile(arguments, arguments.price, signal::Kind::kPrice, clock.Now());
  const auto config = Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  const user_config::Value& file = config->at(Key::kCarbon);
  if (given == 0 && !file.text.empty() && file.origin >= config->at(Key::kZone).origin) {
    return FromFile(arguments, file.text, signal::Kind::kCarbonIntensity, clock.Now());
  }
  const Environment environment = config->Over(ProcessEnvironment());
  const auto grid = user_config::ChooseGrid(*config, environment, arguments.zone, arguments.provider);
  if (!grid.trouble.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--zone", grid.zone.empty() ? "no signal is known" : grid.trouble,
                "--carbon FILE, --price FILE, --zone with --provider, or a built-in zone of heliostat signal zones");
  }
  if (!names_zone) Log(LogLevel::kInfo, "zone {} ({})", grid.zone, grid.from);
  if (grid.provider.empty()) return FromZone(arguments, grid.zone, clock.Now());
  if (!arguments.at.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--at", "a provider is asked about now", "use it with a file");
  }
  return FromProvider(grid.provider, grid.zone, environment, clock);
}

}  // namespace heliostat::cli
