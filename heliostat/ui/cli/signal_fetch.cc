#include <fmt/format.h>

#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/http_client.h"
#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/signal/summary.h"
#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/store/default_path.h"
#include "heliostat/signals/store/feed.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string provider;
  std::string zone;
  std::string start;
  std::string end;
  std::string max_age = "1h";
  std::string max_stale = "6h";
  std::string store;
  std::string out;
  bool wants_forecast = false;
  bool is_offline = false;
  bool lists_providers = false;
  bool lists_stored = false;
};

Output ListProviders() {
  Output output;
  io::Json rows{io::Json::Array{}};
  output.text = fmt::format("{:<18}{:<18}{:<22}{}\n", "provider", "gives", "roles", "about");
  for (const auto& facts : provider::ProviderList()) {
    const std::string roles = std::string(facts.measures ? "measured " : "") + (facts.forecasts ? "forecast" : "");
    std::string keys;
    io::Json needed{io::Json::Array{}};
    for (const auto key : facts.keys) {
      keys += fmt::format("{}{}", keys.empty() ? "; needs " : ", ", key);
      needed.Append(key);
    }
    output.text +=
        fmt::format("{:<18}{:<18}{:<22}{}{}\n", facts.name, NameOf(facts.kind), roles, facts.description, keys);
    io::Json row;
    row.Set("name", facts.name).Set("kind", NameOf(facts.kind)).Set("description", facts.description);
    row.Set("measures", facts.measures).Set("forecasts", facts.forecasts).Set("keys", std::move(needed));
    rows.Append(std::move(row));
  }
  output.json.Set("providers", std::move(rows));
  return output;
}

Result<store::SignalStore> OpenStore(const Arguments& arguments) {
  if (!arguments.store.empty()) return store::SignalStore::Open(arguments.store);
  const auto path = store::DefaultStorePath(ProcessEnvironment());
  if (!path) return Propagate(path);
  return store::SignalStore::Open(*path);
}

Result<Output> ListStored(const Arguments& arguments) {
  auto opened = OpenStore(arguments);
  if (!opened) return Propagate(opened);
  const auto stored = opened->List();
  if (!stored) return Propagate(stored);
  Output output;
  io::Json rows{io::Json::Array{}};
  for (const auto& one : *stored) {
    output.text += fmt::format("{}\n  {} values, {} missing, {} to {}, last fetched {}\n", Describe(one.key), one.known,
                               one.missing, FormatInstant(one.span.begin), FormatInstant(one.span.end),
                               FormatInstant(one.last_fetched));
    io::Json row;
    row.Set("provider", one.key.provider).Set("zone", one.key.zone).Set("kind", NameOf(one.key.kind));
    row.Set("known", one.known).Set("missing", one.missing).Set("start", FormatInstant(one.span.begin));
    row.Set("end", FormatInstant(one.span.end)).Set("last_fetched", FormatInstant(one.last_fetched));
    rows.Append(std::move(row));
  }
  if (stored->empty()) output.text = "the store is empty\n";
  output.json.Set("stored", std::move(rows));
  return output;
}

// The span of --start and --end. Default: from a day ago to now; for a forecast, the two days from now on.
Result<Interval> SpanOf(const Arguments& arguments, Instant now) {
  const Instant hour = std::chrono::floor<std::chrono::hours>(now);
  Interval span = arguments.wants_forecast ? Interval{hour, hour + std::chrono::days{2}}
                                           : Interval{hour - std::chrono::days{1}, hour + std::chrono::hours{1}};
  if (!arguments.start.empty()) {
    const auto start = ParseInstant(arguments.start, "--start");
    if (!start) return Propagate(start);
    span.begin = *start;
  }
  if (!arguments.end.empty()) {
    const auto end = ParseInstant(arguments.end, "--end");
    if (!end) return Propagate(end);
    span.end = *end;
  }
  if (!span.empty()) return span;
  return Fail(ErrorCode::kInvalidArgument, "--start, --end",
              fmt::format("{} is not after {}", FormatInstant(span.end), FormatInstant(span.begin)),
              "--end must be later than --start");
}

Result<Output> Show(const signal::Signal& signal, const Arguments& arguments, io::Json json, std::string first_lines) {
  const auto summary = signal::Summarize(signal.series.values());
  const auto& series = signal.series;
  Output output;
  output.text = std::move(first_lines);
  output.text += fmt::format("{} {} in {}, {} to {}, every {}\n", signal.meaning.zone, NameOf(signal.meaning.kind),
                             UnitText(signal.meaning), FormatInstant(series.start()), FormatInstant(series.end()),
                             FormatDuration(series.step()));
  output.text += fmt::format("{} values, {} missing, {:.6g} / {:.6g} / {:.6g} (min / mean / max)\n", summary.count,
                             summary.missing, summary.min, summary.mean, summary.max);
  json.Set("provider", arguments.provider).Set("zone", signal.meaning.zone).Set("unit", UnitText(signal.meaning));
  json.Set("nature", NameOf(signal.meaning.nature)).Set("basis", NameOf(signal.meaning.basis));
  json.Set("scope", NameOf(signal.meaning.scope));
  json.Set("start", FormatInstant(series.start())).Set("end", FormatInstant(series.end()));
  json.Set("step_s", series.step().count()).Set("count", summary.count).Set("missing", summary.missing);
  json.Set("min", summary.min).Set("mean", summary.mean).Set("max", summary.max);
  output.json = std::move(json);
  if (arguments.out.empty()) return output;
  auto text = signal_files::WriteCanonical(std::vector{signal});
  if (!text) return Propagate(text);
  if (arguments.out == "-") return Output{std::move(*text), std::move(output.json)};
  if (const auto written = io::WriteFileAtomically(arguments.out, *text); !written) return Propagate(written);
  output.text += "written: " + arguments.out + "\n";
  return output;
}

Result<Output> FetchForecast(const Arguments& arguments, const provider::Provider& source,
                             const provider::SignalRequest& request, store::SignalStore& store) {
  if (!source.forecast) {
    return Fail(ErrorCode::kUnsupported, "--forecast", arguments.provider + " gives no forecast", "see --list");
  }
  const auto answer = source.forecast->Forecast(request);
  if (!answer) return Propagate(answer);
  const auto stored = store.PutForecast(arguments.provider, *answer);
  if (!stored) return Propagate(stored);
  io::Json json;
  json.Set("issued", FormatInstant(answer->issued)).Set("origin", answer->answer.origin);
  return Show(answer->answer.signal, arguments, std::move(json),
              fmt::format("forecast issued {}\n", FormatInstant(answer->issued)));
}

Result<Output> FetchMeasured(const Arguments& arguments, const provider::Provider& source,
                             const provider::SignalRequest& request, store::SignalStore& store, Clock& clock) {
  const auto max_age = ParseDuration(arguments.max_age, "--max-age");
  if (!max_age) return Propagate(max_age);
  const auto max_stale = ParseDuration(arguments.max_stale, "--max-stale");
  if (!max_stale) return Propagate(max_stale);
  store::FeedLimits limits;
  limits.max_stale = *max_stale;
  const auto answer = store::Feed(store, clock, source, limits).Get(request, *max_age);
  if (!answer) return Propagate(answer);
  if (answer->freshness != signal::Freshness::kMeasured) Log(LogLevel::kWarning, "{}", answer->explanation);
  io::Json json;
  json.Set("freshness", store::AnswerName(answer->freshness)).Set("explanation", answer->explanation);
  if (answer->age) json.Set("age_s", answer->age->count());
  return Show(answer->signal, arguments, std::move(json),
              fmt::format("{}: {}\n", store::AnswerName(answer->freshness), answer->explanation));
}

Result<Output> Fetch(const Arguments& arguments) {
  const auto facts = AtFlags(provider::FindProvider(arguments.provider), {{"provider", "--provider"}});
  if (!facts) return Propagate(facts);
  if (arguments.zone.empty()) return Fail(ErrorCode::kInvalidArgument, "--zone", "is missing", "such as DE-LU or GB");
  SystemClock clock;
  const auto span = SpanOf(arguments, clock.Now());
  if (!span) return Propagate(span);
  const provider::SignalRequest request{arguments.zone, facts->kind, *span};

  io::CurlHttpClient http;
  provider::Provider source{arguments.provider, nullptr, nullptr};
  if (!arguments.is_offline) {
    // The seed is for the jitter of retries, which need only differ between processes.
    const RandomStream random(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    auto made =
        provider::MakeProvider(arguments.provider, {http, clock, random, ProcessEnvironment(), std::nullopt, {}});
    if (!made) return Propagate(made);
    source = std::move(*made);
  }
  auto store = OpenStore(arguments);
  if (!store) return Propagate(store);
  return arguments.wants_forecast ? FetchForecast(arguments, source, request, *store)
                                  : FetchMeasured(arguments, source, request, *store, clock);
}

}  // namespace

Command InstallSignalFetch(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("--provider NAME", arguments->provider, "Provider to ask; --list lists them");
  syntax.AddOption("--zone ZONE", arguments->zone, "Zone, by the name that the provider uses: DE-LU, GB, CISO");
  syntax.AddOption("--start DATE", arguments->start, "Start, UTC (default: a day ago; with --forecast, now)");
  syntax.AddOption("--end DATE", arguments->end, "End, UTC, exclusive (default: now; with --forecast, in two days)");
  syntax.AddFlag("--forecast", arguments->wants_forecast, "Fetch the provider's forecast instead of measured values");
  syntax.AddOption("--max-age TIME", arguments->max_age, "Age up to which the newest value counts as fresh")
      .ShowDefault();
  syntax
      .AddOption("--max-stale TIME", arguments->max_stale,
                 "Age above which climatology, the mean of the same hour and weekday, replaces the newest value")
      .ShowDefault();
  syntax.AddFlag("--offline", arguments->is_offline, "Use only the local store");
  syntax.AddOption("--store FILE", arguments->store,
                   "Store file (default: $HELIOSTAT_STORE, else ~/.cache/heliostat/signals.db)");
  syntax.AddOption("-o,--output FILE", arguments->out, "Canonical CSV file to write; - for stdout");
  syntax.AddFlag("--list", arguments->lists_providers, "List the providers and the keys they need");
  syntax.AddFlag("--stored", arguments->lists_stored, "List the signals in the local store");
  syntax.Footer("Example: heliostat signal fetch --provider energy-charts --zone DE-LU -o price.csv");
  return [arguments, &options]() -> Result<Output> {
    if (arguments->lists_providers) return ListProviders();
    if (arguments->lists_stored) return ListStored(*arguments);
    if (const auto bad = RefuseTargets({FileOrStdout(arguments->out)}, {}, options); !bad) return Propagate(bad);
    return Fetch(*arguments);
  };
}

}  // namespace heliostat::cli
