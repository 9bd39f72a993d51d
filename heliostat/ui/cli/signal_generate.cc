#include <fmt/format.h>

#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/signals/signal/summary.h"
#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string zone;
  std::vector<std::string> quantities{"carbon", "solar", "wind", "price"};
  std::string start = "2023-01-01T00:00:00Z";
  std::string end;
  std::string step = "1h";
  std::string out;
  std::uint64_t seed = 1;
  double capacity_kw = 0;
  bool lists = false;
};

Result<synthetic::TraceKind> ParseTrace(const std::string& name) {
  if (name == "carbon") return synthetic::TraceKind::kCarbon;
  if (name == "solar") return synthetic::TraceKind::kSolar;
  if (name == "wind") return synthetic::TraceKind::kWind;
  if (name == "price") return synthetic::TraceKind::kPrice;
  return Fail(ErrorCode::kInvalidArgument, "--quantity", "'" + Printable(name, 40) + "' is unknown",
              "one of carbon, solar, wind, price");
}

Output ListZones() {
  Output output;
  io::Json zones{io::Json::Array{}};
  output.text = fmt::format("{:<16}{:<14}{}\n", "zone", "stands for", "what it is like");
  for (const auto& zone : synthetic::Zones()) {
    const std::string_view real = zone.stands_for.empty() ? "-" : zone.stands_for;
    output.text += fmt::format("{:<16}{:<14}{}\n", zone.name, real, zone.description);
    io::Json row;
    row.Set("name", zone.name).Set("description", zone.description).Set("stands_for", zone.stands_for);
    row.Set("fitted_to", zone.basis).Set("currency", zone.currency.code());
    row.Set("latitude", zone.latitude).Set("longitude", zone.longitude);
    zones.Append(std::move(row));
  }
  output.json.Set("zones", std::move(zones));
  return output;
}

Result<Interval> SpanOf(const Arguments& arguments) {
  const auto start = ParseInstant(arguments.start, "--start");
  if (!start) return Propagate(start);
  if (arguments.end.empty()) return Interval{*start, *start + std::chrono::days{365}};
  const auto end = ParseInstant(arguments.end, "--end");
  if (!end) return Propagate(end);
  if (*end <= *start) {
    return Fail(ErrorCode::kInvalidArgument, "--end", arguments.end + " is not after " + arguments.start,
                "must be later than --start");
  }
  return Interval{*start, *end};
}

Result<std::vector<signal::Signal>> Make(const Arguments& arguments) {
  const auto span = SpanOf(arguments);
  if (!span) return Propagate(span);
  const auto step = ParseDuration(arguments.step, "--step");
  if (!step) return Propagate(step);
  std::vector<signal::Signal> signals;
  for (const std::string& name : arguments.quantities) {
    const auto trace = ParseTrace(name);
    if (!trace) return Propagate(trace);
    synthetic::ZoneRequest request{arguments.zone, *trace, *span, *step, arguments.seed, std::nullopt};
    const bool is_plant = *trace == synthetic::TraceKind::kSolar || *trace == synthetic::TraceKind::kWind;
    if (arguments.capacity_kw > 0 && is_plant) request.capacity = Kilowatts(arguments.capacity_kw);
    auto signal = AtFlags(synthetic::Generate(request), {{"synthetic zone", "--zone"}});
    if (!signal) return Propagate(signal);
    signal->name = is_plant ? name : signal->name;
    signals.push_back(std::move(*signal));
  }
  return signals;
}

Output Report(const std::vector<signal::Signal>& signals, const Arguments& arguments) {
  Output output;
  output.text = fmt::format("{}: {} rows of zone {}, seed {}\n", arguments.out, signals.front().series.size(),
                            arguments.zone, arguments.seed);
  io::Json columns{io::Json::Array{}};
  for (const auto& one : signals) {
    const auto summary = signal::Summarize(one.series.values());
    const std::string name = signal_files::CanonicalName(one, signals.size() == 1);
    const std::string unit = UnitText(one.meaning);
    output.text += fmt::format("  {:<28} {:.4g} / {:.4g} / {:.4g} {} (min / mean / max)\n", name, summary.min,
                               summary.mean, summary.max, unit);
    io::Json column;
    column.Set("name", name)
        .Set("unit", unit)
        .Set("min", summary.min)
        .Set("mean", summary.mean)
        .Set("max", summary.max);
    columns.Append(std::move(column));
  }
  output.json.Set("file", arguments.out).Set("zone", arguments.zone);
  output.json.Set("seed", static_cast<std::int64_t>(arguments.seed)).Set("columns", std::move(columns));
  return output;
}

}  // namespace

Command InstallSignalGenerate(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("--zone ZONE", arguments->zone, "Built-in zone; --list lists them");
  syntax.AddFlag("--list", arguments->lists, "List the built-in zones");
  syntax
      .AddOption("--quantity NAME,...", arguments->quantities,
                 "Quantities, separated by commas: carbon, solar, wind, price (default: all)")
      .SplitAt(',');
  syntax.AddOption("--start DATE", arguments->start, "Start, UTC").ShowDefault();
  syntax.AddOption("--end DATE", arguments->end, "End, UTC, exclusive (default: a year after the start)");
  syntax.AddOption("--step TIME", arguments->step, "Step, one minute to one day: 5m, 30m, 1h").ShowDefault();
  syntax.AddOption("--seed N", arguments->seed, "Random seed of the weather; the climate stays the same").ShowDefault();
  syntax
      .AddOption("--capacity-kw KW", arguments->capacity_kw,
                 "Capacity of the plant: solar and wind in kW instead of shares of the capacity")
      .Between(0.0, 1e12);
  syntax.AddOption("-o,--output FILE", arguments->out, "Canonical CSV file to write; - for stdout");
  syntax.Footer("Example: heliostat signal generate --zone wind-heavy --start 2023-01-01 --step 5m -o wind.csv");
  return [arguments, &options]() -> Result<Output> {
    if (arguments->lists) return ListZones();
    if (arguments->zone.empty()) return Fail(ErrorCode::kInvalidArgument, "--zone", "is missing", "see --list");
    if (arguments->out.empty())
      return Fail(ErrorCode::kInvalidArgument, "--output", "is missing", "a file, or - for stdout");
    if (const auto bad = RefuseTargets({FileOrStdout(arguments->out)}, {}, options); !bad) return Propagate(bad);
    const auto signals = Make(*arguments);
    if (!signals) return Propagate(signals);
    auto text = signal_files::WriteCanonical(*signals);
    if (!text) return Propagate(text);
    if (arguments->out == "-") return Output{std::move(*text), Report(*signals, *arguments).json};
    if (const auto written = io::WriteFileAtomically(arguments->out, *text); !written) return Propagate(written);
    return Report(*signals, *arguments);
  };
}

}  // namespace heliostat::cli
