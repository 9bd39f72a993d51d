#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/signals/signal/fill.h"
#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/progress_bar.h"
#include "heliostat/ui/cli/read_options.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string out;
  std::vector<std::string> columns;
  std::string step;
  std::string fill;
  std::string longest_gap;
  std::string overlap = "refuse";
  ReadArguments read;
};

// The parts of one signal, one per file.
struct Parts {
  std::string name;
  signal::Meaning meaning;
  std::vector<signal::StepSeries> series;
};

bool IsSameSignal(const Parts& parts, const signal::Signal& signal) {
  return parts.name == signal.name && parts.meaning.zone == signal.meaning.zone &&
         parts.meaning.kind == signal.meaning.kind && parts.meaning.unit == signal.meaning.unit &&
         parts.meaning.currency == signal.meaning.currency;
}

void AddPart(std::vector<Parts>& all, const signal::Signal& signal) {
  auto found = std::ranges::find_if(all, [&](const Parts& parts) { return IsSameSignal(parts, signal); });
  if (found == all.end()) found = all.insert(all.end(), {signal.name, signal.meaning, {}});
  found->series.push_back(signal.series);
}

Result<std::vector<Parts>> ReadParts(const Arguments& arguments, bool is_quiet, std::size_t& skipped) {
  // --start and --end cut the result. Only a tariff, which has no times, is also read over this span.
  auto options = ToReadOptions(arguments.read);
  if (!options) return Propagate(options);
  options->table.columns = arguments.columns;
  std::vector<Parts> all;
  ProgressBar progress("reading", arguments.files.size(), is_quiet);
  for (const std::string& file : arguments.files) {
    const auto table = ReadAndTell(file, *options);
    if (!table) return Propagate(table);
    skipped += table->skipped;
    if (arguments.columns.empty()) {
      for (const auto& column : table->columns) AddPart(all, column.signal);
    }
    for (const std::string& name : arguments.columns) {
      const auto column = table->Find(name);
      if (!column) return Propagate(column);
      AddPart(all, (*column)->signal);
    }
    progress.Advance();
  }
  return all;
}

Result<signal::Overlap> ParseOverlap(const std::string& name) {
  if (name == "refuse") return signal::Overlap::kMustAgree;
  if (name == "first") return signal::Overlap::kFirstWins;
  if (name == "last") return signal::Overlap::kLastWins;
  return Fail(ErrorCode::kInvalidArgument, "--overlap", "'" + Printable(name, 40) + "' is not known",
              "one of refuse, first, last");
}

Result<signal::Signal> JoinParts(const Parts& parts, const Arguments& arguments, bool name_is_shared) {
  const auto overlap = ParseOverlap(arguments.overlap);
  if (!overlap) return Propagate(overlap);
  auto joined = Join(parts.series, *overlap);
  if (!joined) {
    Error error = joined.error();
    error.where = parts.name;
    if (error.allowed == signal::kPartsMustAgree) error.allowed = "choose one with --overlap first or --overlap last";
    return tl::unexpected(error);
  }
  // Columns "price" of two zones become "KR" and "DE-LU".
  const std::string name = name_is_shared && !parts.meaning.zone.empty() ? parts.meaning.zone : parts.name;
  return signal::Signal{name, parts.meaning, std::move(*joined)};
}

Status Reshape(std::vector<signal::Signal>& signals, const Arguments& arguments) {
  std::optional<Duration> longest_gap;
  if (!arguments.longest_gap.empty()) {
    if (arguments.fill.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "--longest-gap", "is given without --fill",
                  "name the rule with --fill: hold, linear, yesterday, typical");
    }
    const auto parsed = ParseDuration(arguments.longest_gap, "--longest-gap");
    if (!parsed) return Propagate(parsed);
    longest_gap = *parsed;
  }
  if (!arguments.fill.empty()) {
    const auto rule = AtFlags(signal::ParseFillRule(arguments.fill), {{"fill rule", "--fill"}});
    if (!rule) return Propagate(rule);
    for (auto& one : signals) one.series = Fill(one.series, *rule, longest_gap);
  }
  if (!arguments.step.empty()) {
    const auto step = ParseDuration(arguments.step, "--step");
    if (!step) return Propagate(step);
    for (auto& one : signals) {
      auto resampled = one.series.Resample(*step);
      if (!resampled) return Fail(resampled.error().code, "--step", resampled.error().what, resampled.error().allowed);
      one.series = std::move(*resampled);
    }
  }
  return {};
}

// Widens every signal to the union of their times; new values are missing. Fails if they do not share step and phase.
Status SpreadOverUnion(std::vector<signal::Signal>& signals) {
  Interval all = signals.front().series.span();
  for (const auto& one : signals) {
    all = {std::min(all.begin, one.series.start()), std::max(all.end, one.series.end())};
  }
  for (auto& one : signals) {
    const Duration step = one.series.step();
    std::vector<signal::StepSeries> parts{one.series};
    if (one.series.start() > all.begin)
      parts.push_back(*signal::StepSeries::Make(all.begin, step, {signal::Missing()}));
    if (one.series.end() < all.end)
      parts.push_back(*signal::StepSeries::Make(all.end - step, step, {signal::Missing()}));
    auto spread = Join(parts, signal::Overlap::kFirstWins);
    if (!spread || step != signals.front().series.step()) {
      return Fail(ErrorCode::kInvalidArgument, one.name, "has other sample times than the first column",
                  "resample all to one step with --step, such as --step 1h");
    }
    one.series = std::move(*spread);
  }
  return {};
}

Status Cut(std::vector<signal::Signal>& signals, const Arguments& arguments) {
  if (arguments.read.start.empty()) return {};
  const auto start = ParseInstant(arguments.read.start, "--start");
  if (!start) return Propagate(start);
  for (auto& one : signals) {
    Interval span{*start, one.series.end()};
    if (!arguments.read.end.empty()) span.end = *ParseInstant(arguments.read.end, "--end");
    auto cut = one.series.Slice(span);
    if (!cut) {
      Error error = cut.error();
      error.where = "--start, --end";
      return tl::unexpected(error);
    }
    one.series = std::move(*cut);
  }
  return {};
}

Result<std::vector<signal::Signal>> Convert(const Arguments& arguments, bool is_quiet, std::size_t& skipped) {
  const auto parts = ReadParts(arguments, is_quiet, skipped);
  if (!parts) return Propagate(parts);
  std::vector<signal::Signal> signals;
  for (const Parts& one : *parts) {
    const auto namesakes = std::ranges::count(*parts, one.name, &Parts::name);
    auto joined = JoinParts(one, arguments, namesakes > 1);
    if (!joined) return Propagate(joined);
    signals.push_back(std::move(*joined));
  }
  if (const auto bad = Reshape(signals, arguments); !bad) return Propagate(bad);
  if (const auto bad = SpreadOverUnion(signals); !bad) return Propagate(bad);
  if (const auto bad = Cut(signals, arguments); !bad) return Propagate(bad);
  return signals;
}

Output Report(const std::vector<signal::Signal>& signals, const std::string& out, std::size_t skipped) {
  const auto& axis = signals.front().series;
  Output output;
  output.text = fmt::format("{}: {} rows every {} from {} to {}\n", out, axis.size(), FormatDuration(axis.step()),
                            FormatInstant(axis.start()), FormatInstant(axis.end()));
  io::Json columns{io::Json::Array{}};
  for (const auto& one : signals) {
    const std::string name = signal_files::CanonicalName(one, signals.size() == 1);
    std::string money = one.meaning.currency ? fmt::format(", in {}", one.meaning.currency->code()) : "";
    output.text += fmt::format("  {:<32} {} missing{}\n", name, one.series.missing(), money);
    io::Json column;
    column.Set("name", name).Set("missing", one.series.missing()).Set("zone", one.meaning.zone);
    if (one.meaning.currency) column.Set("currency", one.meaning.currency->code());
    columns.Append(std::move(column));
  }
  output.json.Set("file", out).Set("start", FormatInstant(axis.start())).Set("end", FormatInstant(axis.end()));
  output.json.Set("step_s", axis.step().count()).Set("count", axis.size()).Set("columns", std::move(columns));
  output.json.Set("skipped_rows", skipped);
  if (skipped > 0) output.text += fmt::format("  {} bad rows skipped\n", skipped);
  return output;
}

}  // namespace

Command InstallSignalConvert(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax
      .AddOption("FILE", arguments->files,
                 "Signal files, - for stdin; files with parts of one signal are joined in time")
      .Required();
  syntax.AddOption("-o,--output FILE", arguments->out, "Canonical CSV file to write; - for stdout").Required();
  syntax
      .AddOption("--column,--value-column NAME", arguments->columns,
                 "Column to keep; repeat it or use commas for more (default: all with a known unit)")
      .SplitAt(',');
  syntax.AddOption("--step TIME", arguments->step, "Resample to this step, conserving energy: 5m, 1h");
  syntax.AddOption("--fill RULE", arguments->fill, "Fill gaps by this rule: hold, linear, yesterday, typical");
  syntax.AddOption("--longest-gap TIME", arguments->longest_gap, "Do not fill gaps longer than this: 3h");
  syntax.AddOption("--overlap RULE", arguments->overlap,
                   "If two files differ at the same time: refuse, first or last (default: refuse)");
  AddReadArguments(syntax, arguments->read);
  AddSpanArguments(syntax, arguments->read, "the result");
  syntax.Footer(
      R"(Reads any table; heliostat signal inspect --help says how. Values are written in g/kWh, kW and money per kWh.

Examples:
  heliostat signal convert KR_2023.csv KR_2024.csv -o kr.csv --fill linear --longest-gap 3h
  heliostat signal convert spot.csv -o price.csv --unit EUR/MWh --time-zone Europe/Berlin)");
  return [arguments, &options]() -> Result<Output> {
    for (const std::string& file : arguments->files) {
      if (const auto bad = RefuseOverwrite(file, options); !bad) return Propagate(bad);
    }
    if (const auto bad = RefuseTargets({FileOrStdout(arguments->out)}, {}, options); !bad) return Propagate(bad);
    std::size_t skipped = 0;
    const auto signals = Convert(*arguments, options.quiet, skipped);
    if (!signals) return Propagate(signals);
    auto text = AtFlags(signal_files::WriteCanonical(*signals), {});
    if (!text) return Propagate(text);
    if (arguments->out == "-") return Output{std::move(*text), Report(*signals, "-", skipped).json};
    if (const auto written = io::WriteFileAtomically(arguments->out, *text); !written) return Propagate(written);
    return Report(*signals, arguments->out, skipped);
  };
}

}  // namespace heliostat::cli
