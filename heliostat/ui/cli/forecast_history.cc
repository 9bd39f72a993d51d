#include "heliostat/ui/cli/forecast_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/log.h"
#include "heliostat/signals/signal/misplaced.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

using forecast::Issued;
using signal::StepSeries;

// Cuts a signal to the time from its first known value to its last.
Result<Interval> KnownSpan(const signal::Signal& signal, const std::string& file) {
  const auto& values = signal.series.values();
  const auto is_known = [](double value) { return !signal::IsMissing(value); };
  const auto first = std::ranges::find_if(values, is_known);
  if (first == values.end()) {
    return Fail(ErrorCode::kInvalidArgument, file, "column '" + Printable(signal.name, 60) + "' has no value",
                "a column with known values");
  }
  const auto last = std::find_if(values.rbegin(), values.rend(), is_known).base();
  return Interval{signal.series.TimeOf(static_cast<std::size_t>(first - values.begin())),
                  signal.series.TimeOf(static_cast<std::size_t>(last - values.begin()))};
}

Result<StepSeries> AtStep(const StepSeries& series, Duration step) {
  if (series.step() == step) return series;
  return series.Resample(step);
}

// `series` on the steps of `target`, from the start of `target`. It may reach past the end of `target`, by at most
// kLongestHorizon, because a forecast does. Missing where it has no value.
Result<StepSeries> OnStepsOf(const StepSeries& target, const StepSeries& series) {
  const auto aligned = series.Resample(target.step(), target.start());
  if (!aligned) return aligned;
  const Instant end = std::max(target.end(), std::min(aligned->end(), target.end() + kLongestHorizon));
  std::vector<double> values;
  for (Instant t = target.start(); t < end; t += target.step()) {
    const bool is_covered = aligned->span().Contains(t);
    values.push_back(is_covered ? aligned->values()[static_cast<std::size_t>((t - aligned->start()) / target.step())]
                                : signal::Missing());
  }
  return StepSeries::Make(target.start(), target.step(), std::move(values));
}

bool IsSourceOf(const signal::Meaning& target, const signal::Meaning& other) {
  const bool is_generation = other.kind == signal::Kind::kPower || other.kind == signal::Kind::kShare;
  return target.kind == signal::Kind::kCarbonIntensity && is_generation && other.nature == target.nature &&
         other.nature != signal::Nature::kForecast;
}

bool IsForecastOf(const signal::Meaning& target, const signal_files::SignalColumn& other) {
  const signal::Meaning& meaning = other.signal.meaning;
  return target.nature != signal::Nature::kForecast && meaning.nature == signal::Nature::kForecast &&
         meaning.kind == target.kind && meaning.unit == target.unit && (meaning.lead || !other.runs.empty());
}

// A forecast whose runs are all known. Its series stays empty: it would contain values of later runs.
Result<Issued> FromRuns(const signal::Signal& signal, const std::vector<signal::ForecastRun>& runs,
                        const StepSeries& target) {
  auto blank = StepSeries::Make(target.start(), target.step(), std::vector<double>(target.size(), signal::Missing()));
  if (!blank) return Propagate(blank);
  Issued issued{{signal.name, signal.meaning, std::move(*blank)}, {}};
  for (const auto& run : runs) {
    auto series = run.series.Resample(target.step(), target.start());
    if (series) issued.runs.push_back({run.issued, std::move(*series)});  // skips a run shorter than a step
  }
  return issued;
}

// A forecast whose values were each issued `lead` before their time. A mean of several values is known only when the
// last of them is, so its lead is shorter. nullopt if that leaves less than one step.
Result<std::optional<Issued>> FromLead(const signal::Signal& signal, const StepSeries& target) {
  const Duration lead = *signal.meaning.lead - std::max(Duration{0}, target.step() - signal.series.step());
  if (lead < target.step()) return std::optional<Issued>();
  auto series = OnStepsOf(target, signal.series);
  if (!series) return Propagate(series);
  Issued issued{{signal.name, signal.meaning, std::move(*series)}, {}};
  issued.signal.meaning.lead = lead;
  return std::optional<Issued>(std::move(issued));
}

// Runs of a day-ahead table that does not contain the times of issue: one run per day from the first value on, each
// issued `lead` before its day begins.
std::vector<signal::ForecastRun> DailyRuns(const StepSeries& series, Duration lead) {
  std::vector<signal::ForecastRun> runs;
  for (Instant day = series.start(); day < series.end(); day += std::chrono::days{1}) {
    auto part = series.Slice({day, std::min(series.end(), day + std::chrono::days{1})});
    if (part) runs.push_back({day - lead, std::move(*part)});
  }
  return runs;
}

Status AddIssued(const signal_files::SignalColumn& column, const StepSeries& target, std::vector<Issued>& all) {
  if (!column.runs.empty()) {
    auto issued = FromRuns(column.signal, column.runs, target);
    if (!issued) return Propagate(issued);
    all.push_back(std::move(*issued));
    return {};
  }
  auto issued = FromLead(column.signal, target);
  if (!issued) return Propagate(issued);
  if (*issued) all.push_back(std::move(**issued));
  return {};
}

Result<const signal_files::SignalColumn*> IssuedColumn(const signal_files::SignalTable& table,
                                                       const HistoryArguments& arguments,
                                                       const signal::Signal& target) {
  if (!arguments.issued_column.empty()) return table.Find(arguments.issued_column);
  if (const auto namesake = table.Find(target.name)) return namesake;
  return table.Find("");
}

Status AddIssuedFile(const HistoryArguments& arguments, forecast::History& history) {
  auto read = ToReadOptions(arguments.read);
  if (!read) return Propagate(read);
  // The other file has its own format and layout.
  read->format.clear();
  read->table = {};
  if (!arguments.issued_column.empty()) read->table.columns = {arguments.issued_column};
  const auto lead = ParseDuration(arguments.issued_lead, "--issued-lead");
  if (!lead) return Propagate(lead);
  const auto table = ReadAndTell(arguments.issued, *read);
  if (!table) return Propagate(table);
  const auto found = IssuedColumn(*table, arguments, history.target);
  if (!found) return Propagate(found);
  signal_files::SignalColumn column = **found;
  const auto& meaning = column.signal.meaning;
  if (meaning.kind != history.target.meaning.kind || meaning.unit != history.target.meaning.unit) {
    return Fail(
        ErrorCode::kInvalidArgument, "--issued",
        fmt::format("'{}' is {} in {}", Printable(column.signal.name, 60), NameOf(meaning.kind), UnitText(meaning)),
        fmt::format("{} in {}, as the series to forecast", NameOf(history.target.meaning.kind),
                    UnitText(history.target.meaning)));
  }
  const Interval useful{history.target.series.start(), history.end() + kLongestHorizon};
  if (useful.Intersect(column.signal.series.span()).empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--issued",
                fmt::format("{} ends {}", arguments.issued, FormatInstant(column.signal.series.end())),
                "it must overlap the series to forecast");
  }
  if (column.runs.empty() && !meaning.lead) column.runs = DailyRuns(column.signal.series, *lead);
  return AddIssued(column, history.target.series, history.issued);
}

// `signal` over `span` at `step`.
Result<signal::Signal> Cut(const signal::Signal& signal, const Interval& span, Duration step) {
  const auto part = signal.series.Slice(span);
  if (!part) return Propagate(part);
  auto series = AtStep(*part, step);
  if (!series) return Propagate(series);
  return signal::Signal{signal.name, signal.meaning, std::move(*series)};
}

Result<forecast::History> FromTable(const signal_files::SignalTable& table, const signal_files::SignalColumn& column,
                                    Duration step, bool ignores_sources) {
  const auto span = KnownSpan(column.signal, table.file);
  if (!span) return Propagate(span);
  auto target = Cut(column.signal, *span, step);
  if (!target) return Propagate(target);
  forecast::History history{std::move(*target), {}, {}};
  for (const signal_files::SignalColumn& other : table.columns) {
    if (&other == &column) continue;
    if (!ignores_sources && IsSourceOf(column.signal.meaning, other.signal.meaning)) {
      auto source = Cut(other.signal, *span, step);
      if (!source) return Propagate(source);
      history.sources.push_back(std::move(*source));
    }
    if (!IsForecastOf(column.signal.meaning, other)) continue;
    if (const auto bad = AddIssued(other, history.target.series, history.issued); !bad) return Propagate(bad);
  }
  return history;
}

void WarnOfMisplaced(const std::string& file, const signal::Signal& target) {
  const auto found = signal::FindMisplacedTime(target.series);
  if (!found) return;
  const std::string unit = UnitText(target.meaning);
  Log(LogLevel::kWarning,
      "{}: values at {} UTC fit the {} (in the last 60 days they are {:.3g} {} from their neighbours, and {:.3g} from "
      "those); forecasts of that time have wide bands",
      file, FormatInstant(Instant{found->of_day}).substr(11, 5), found->days > 0 ? "next day" : "day before",
      found->own_misfit, unit, found->misfit);
}

}  // namespace

void AddHistoryArguments(const Syntax& syntax, HistoryArguments& arguments) {
  syntax.AddOption("FILE", arguments.file, "The signal file; - for stdin (default: carbon of heliostat config)");
  syntax.AddOption("--column,--value-column NAME", arguments.column,
                   "Column to forecast, by name or number (default: the main column)");
  syntax.AddOption("--step TIME", arguments.step, "Resample the file to this step first, conserving energy: 1h");
  syntax.AddFlag("--ignore-sources", arguments.ignores_sources, "Do not use the columns with generation by source");
  const Syntax issued = syntax.Group("Forecasts of a provider");
  issued.AddOption("--issued FILE", arguments.issued,
                   "File with a provider's forecasts of the column, for models to use");
  issued.AddOption("--issued-column NAME", arguments.issued_column,
                   "Column of --issued (default: the column of the same name)");
  issued
      .AddOption("--issued-lead TIME", arguments.issued_lead,
                 "How long before each day a day-ahead file was issued, if the file does not state it")
      .ShowDefault();
  AddReadArguments(syntax, arguments.read);
}

Status TakeConfiguredFile(HistoryArguments& arguments) {
  if (!arguments.file.empty()) return {};
  const auto config = user_config::Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  const user_config::Value& file = config->at(user_config::Key::kCarbon);
  arguments.file = file.text;
  if (!file.text.empty()) Log(LogLevel::kInfo, "file {} ({})", file.text, file.where);
  return {};
}

Result<forecast::History> ReadHistory(const HistoryArguments& arguments) {
  if (arguments.file.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "FILE", "is missing",
                "name a signal file, or set one with: heliostat config set carbon FILE");
  }
  auto read = ToReadOptions(arguments.read);
  if (!read) return Propagate(read);
  if (!arguments.column.empty()) read->table.columns = {arguments.column};
  const auto table = ReadAndTell(arguments.file, *read);
  if (!table) return Propagate(table);
  const auto column = table->Find(arguments.column);
  if (!column) return Propagate(column);
  Duration step = (*column)->signal.series.step();
  if (!arguments.step.empty()) {
    const auto asked = ParseDuration(arguments.step, "--step");
    if (!asked) return Propagate(asked);
    step = *asked;
  }
  auto history = FromTable(*table, **column, step, arguments.ignores_sources);
  if (history) WarnOfMisplaced(arguments.file, history->target);
  if (!history || arguments.issued.empty()) return history;
  if (const auto bad = AddIssuedFile(arguments, *history); !bad) return Propagate(bad);
  return history;
}

io::Json BesideOf(const forecast::History& history) {
  io::Json sources{io::Json::Array{}};
  for (const signal::Signal& source : history.sources) sources.Append(source.name);
  io::Json forecasts{io::Json::Array{}};
  for (const Issued& issued : history.issued) {
    io::Json row;
    row.Set("name", issued.signal.name);
    if (!issued.runs.empty()) {
      row.Set("runs", issued.runs.size());
    } else if (issued.signal.meaning.lead) {
      row.Set("lead_s", issued.signal.meaning.lead->count());
    }
    forecasts.Append(std::move(row));
  }
  io::Json beside;
  return beside.Set("sources", std::move(sources)).Set("forecasts", std::move(forecasts));
}

}  // namespace heliostat::cli
