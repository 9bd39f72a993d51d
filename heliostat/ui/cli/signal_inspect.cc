#include <fmt/format.h>

#include <memory>

#include "heliostat/signals/tariff/describe.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string file;
  std::string column;
  ReadArguments read;
};

std::string JoinNames(const signal_files::SignalTable& table) {
  std::string names;
  for (const auto& column : table.columns) names += (names.empty() ? "" : ", ") + column.signal.name;
  return names;
}

// "carbon intensity, lifecycle, average, measured (CarbonCast)".
std::string MeaningText(const signal::Meaning& meaning) {
  std::string text(NameOf(meaning.kind));
  for (const std::string_view word : {NameOf(meaning.basis), NameOf(meaning.scope), NameOf(meaning.nature)}) {
    if (word != "unknown") text += fmt::format(", {}", word);
  }
  if (meaning.lead) text += fmt::format(" {} ahead", FormatDuration(*meaning.lead));
  return meaning.source.empty() ? text : text + " (" + meaning.source + ")";
}

std::string Plots(const signal::StepSeries& series) {
  constexpr std::size_t kWidth = 64;
  const bool is_utf8 = report::IsUtf8Terminal();
  const auto daily = signal::MeansByDay(series);
  const auto typical = signal::TypicalDay(series);
  const auto by_day = report::Sparkline(daily.means, kWidth, is_utf8);
  const auto by_hour = report::Sparkline(typical, typical.size(), is_utf8);
  if (!by_day || !by_hour) return "";  // nothing is known
  return fmt::format("by day       {}\ntypical day  {}\n             0     6     12    18    h UTC\n", *by_day,
                     *by_hour);
}

io::Json DemandCharges(const tariff::Tariff& tariff) {
  io::Json charges{io::Json::Array{}};
  for (const auto& charge : tariff.demand) {
    io::Json row;
    row.Set("name", charge.name).Set("per_kw", charge.per_kw).Set("currency", tariff.currency.code());
    row.Set("assessed", charge.assessed).Set("windows", charge.when.size());
    charges.Append(std::move(row));
  }
  return charges;
}

io::Json Describe(const signal_files::SignalTable& table, const signal_files::SignalColumn& column) {
  const auto& [name, meaning, series] = column.signal;
  io::Json json;
  json.Set("file", table.file).Set("format", table.format).Set("column", name).Set("unit", UnitText(meaning));
  json.Set("zone", meaning.zone);
  json.Set("start", FormatInstant(series.start())).Set("end", FormatInstant(series.end()));
  json.Set("step_s", series.step().count()).Set("count", column.cells.count).Set("missing", column.cells.missing);
  json.Set("min", column.cells.min).Set("mean", column.cells.mean).Set("max", column.cells.max);
  // In addition to the contract: the reader's notes, and the meaning of the numbers.
  json.Set("rows", table.rows).Set("absent", table.absent).Set("dropped", table.dropped).Set("slots", series.size());
  json.Set("kind", NameOf(meaning.kind)).Set("nature", NameOf(meaning.nature)).Set("basis", NameOf(meaning.basis));
  json.Set("scope", NameOf(meaning.scope)).Set("source", meaning.source).Set("time_base", meaning.time_base);
  if (meaning.lead) json.Set("lead_s", meaning.lead->count());
  if (!column.runs.empty()) json.Set("issues", column.runs.size());
  io::Json columns{io::Json::Array{}};
  for (const auto& other : table.columns) columns.Append(other.signal.name);
  io::Json notes{io::Json::Array{}};
  for (const auto& note : table.notes) notes.Append(WithFlags(note));
  for (const auto& note : meaning.notes) notes.Append(WithFlags(note));
  if (table.tariff) {
    json.Set("tariff", table.tariff->name).Set("demand_charges", DemandCharges(*table.tariff));
    if (table.tariff->fixed_per_month) json.Set("fixed_per_month", *table.tariff->fixed_per_month);
  }
  return json.Set("columns", columns).Set("notes", notes);
}

std::string Table(const signal_files::SignalTable& table, const signal_files::SignalColumn& column) {
  const auto& [name, meaning, series] = column.signal;
  const auto line = [](std::string_view label, const std::string& value) {
    return fmt::format("{:<12} {}\n", label, value);
  };
  std::string text = line("file", table.file) + line("format", table.format);
  text += line("column", name + (table.columns.size() > 1 ? fmt::format("   (of {}: {})", table.columns.size(),
                                                                        Printable(JoinNames(table), 160))
                                                          : ""));
  text += line("zone", meaning.zone.empty() ? "unknown" : meaning.zone);
  text += line("meaning", MeaningText(meaning)) + line("unit", UnitText(meaning));
  text += line("time", fmt::format("{} to {}, every {}", FormatInstant(series.start()), FormatInstant(series.end()),
                                   FormatDuration(series.step())));
  if (meaning.time_base != "UTC") text += line("time zone", meaning.time_base);
  text += line("count", fmt::format("{} rows, {} missing values, {} steps without a row", column.cells.count,
                                    column.cells.missing, table.absent));
  if (!column.runs.empty())
    text +=
        line("forecasts", fmt::format("{} issues of {} values", column.runs.size(), column.runs.front().series.size()));
  text += line("min", fmt::format("{:.6g}", column.cells.min)) + line("mean", fmt::format("{:.6g}", column.cells.mean));
  text += line("max", fmt::format("{:.6g}", column.cells.max));
  text += Plots(series);
  return table.tariff ? text + "\n" + tariff::Describe(*table.tariff) : text;
}

}  // namespace

Command InstallSignalInspect(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("FILE", arguments->file, "The signal file");
  syntax.AddOption("--column NAME", arguments->column, "Column to describe (default: the main column of the format)");
  AddReadArguments(syntax, arguments->read);
  AddSpanArguments(syntax, arguments->read, "a file without dates, or of the span for the prices of a tariff");
  syntax.Footer("Example: heliostat signal inspect DE_lifecycle_emissions.csv --column wind");
  return [arguments, &options]() -> Result<Output> {
    const std::string file = InputOrTakenByJson(arguments->file, options);
    if (file.empty()) return Fail(ErrorCode::kInvalidArgument, "FILE", "is missing", "name a signal file");
    if (const auto bad = RefuseOverwrite(file, options); !bad) return Propagate(bad);
    const auto read = ToReadOptions(arguments->read);
    if (!read) return Propagate(read);
    const auto table = ReadAndTell(file, *read);
    if (!table) return Propagate(table);
    const auto column = table->Find(arguments->column);
    if (!column) return Propagate(column);
    return Output{Table(*table, **column), Describe(*table, **column)};
  };
}

}  // namespace heliostat::cli
