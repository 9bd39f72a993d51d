#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/io/table_sample.h"
#include "heliostat/signals/signal_files/table_view.h"
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
  json.Set("skipped_rows", table.skipped);
  if (!table.told.empty()) json.Set("read_as", table.told);
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
  if (table.skipped > 0) text += line("skipped", fmt::format("{} bad rows", table.skipped));
  if (!column.runs.empty())
    text +=
        line("forecasts", fmt::format("{} issues of {} values", column.runs.size(), column.runs.front().series.size()));
  text += line("min", fmt::format("{:.6g}", column.cells.min)) + line("mean", fmt::format("{:.6g}", column.cells.mean));
  text += line("max", fmt::format("{:.6g}", column.cells.max));
  text += Plots(series);
  return table.tariff ? text + "\n" + tariff::Describe(*table.tariff) : text;
}

constexpr std::size_t kShownRows = 3;
constexpr std::size_t kShownColumns = 40;

// Describes a table that could not be read, so that the user can say what is missing.
Output Unknown(const signal_files::TableView& view, const std::string& file, const Error& error) {
  const signal_files::TableLayout& layout = view.layout;
  Output output;
  output.verdict = error;
  const std::string delimiter = io::DelimiterName(layout.delimiter);
  output.text =
      fmt::format("{:<12} {}\n{:<12} {}, {} between cells, {}\n", "file", file, "table", view.encoding, delimiter,
                  layout.header_line > 0 ? fmt::format("header in line {}", layout.header_line) : "no header");
  if (view.times) {
    output.text += fmt::format("{:<12} {} to {} in '{}' ({}), {} rows\n", "time", FormatInstant(view.times->begin),
                               FormatInstant(view.times->end), Printable(view.time_column, 60), view.clock, view.rows);
  }
  output.text += "columns\n";
  io::Json columns{io::Json::Array{}};
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::string guess = signal_files::GuessText(layout.columns[i]);
    std::string cells;
    for (std::size_t row = 0; row < std::min(kShownRows, layout.sample.size()); ++row) {
      if (i < layout.sample[row].size()) cells += (cells.empty() ? "" : " | ") + Printable(layout.sample[row][i], 24);
    }
    if (i < kShownColumns) {
      output.text +=
          fmt::format("  {:>2} {:<32} {:<32} {}\n", i + 1, Printable(layout.columns[i].name, 32), guess, cells);
    }
    io::Json column;
    column.Set("name", layout.columns[i].name).Set("guess", guess).Set("first_cells", cells);
    columns.Append(std::move(column));
  }
  if (layout.columns.size() > kShownColumns) {
    output.text += fmt::format("     and {} more\n", layout.columns.size() - kShownColumns);
  }
  io::Json needs{io::Json::Array{}};
  std::string flags;
  for (const std::string& option : view.needs) {
    needs.Append("--" + option);
    flags += (flags.empty() ? "--" : ", --") + option;
  }
  if (!flags.empty()) output.text += fmt::format("{:<12} {}\n", "say", flags);
  output.json.Set("file", file).Set("format", "unknown").Set("encoding", view.encoding).Set("delimiter", delimiter);
  output.json.Set("header_line", layout.header_line).Set("columns", std::move(columns)).Set("needs", std::move(needs));
  if (view.times) {
    output.json.Set("time_column", view.time_column).Set("first", FormatInstant(view.times->begin));
    output.json.Set("last", FormatInstant(view.times->end)).Set("rows", view.rows);
  }
  return output;
}

Result<Output> Answer(const std::string& file, const Arguments& arguments, const signal_files::ReadOptions& options) {
  const auto text = ReadSignalBytes(file);
  if (!text) return Propagate(text);
  const auto table = ReadTextAndTell(*text, file, options);
  if (!table) {
    // A problem of the whole file, and not of a line or an option.
    if (table.error().where != NameOfInput(file)) return Propagate(table);
    const auto view = signal_files::ViewTable(*text, NameOfInput(file), options);
    return view ? Result<Output>(Unknown(*view, NameOfInput(file), table.error())) : Propagate(table);
  }
  const auto column = table->Find(arguments.column);
  if (!column) return Propagate(column);
  Output output{Table(*table, **column), Describe(*table, **column)};
  if ((*column)->signal.meaning.kind == signal::Kind::kOther) {
    output.verdict = Error{ErrorCode::kInvalidArgument, table->file,
                           fmt::format("column '{}' does not state its unit", Printable((*column)->signal.name, 60)),
                           "set --unit, such as EUR/MWh, g/kWh or kW"};
  }
  return output;
}

constexpr const char* kAbout =
    R"(Reads any table: delimiter, header, times and decimal mark are found and told; options say what is not certain. A unit
comes from the column's name (price_eur_per_mwh, Price [EUR/MWh], carbon_lb_per_mwh) or from --unit; it is never guessed.
A file that cannot be read is described on stdout, with the options that would help.

Examples:
  heliostat signal inspect DE_lifecycle_emissions.csv --column wind
  heliostat signal inspect spot.csv --value-column price --unit EUR/MWh --time-zone Europe/Berlin
  curl -s URL | heliostat signal inspect - --unit lb/MWh)";

}  // namespace

Command InstallSignalInspect(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("FILE", arguments->file, "The signal file; - for stdin");
  syntax.AddOption("--column,--value-column NAME", arguments->column,
                   "Column to describe, by name or number (default: the main column)");
  AddReadArguments(syntax, arguments->read);
  AddSpanArguments(syntax, arguments->read, "a file without dates, or of the span for the prices of a tariff");
  syntax.Footer(kAbout);
  return [arguments, &options]() -> Result<Output> {
    const std::string file = InputOrTakenByJson(arguments->file, options);
    if (file.empty()) return Fail(ErrorCode::kInvalidArgument, "FILE", "is missing", "name a signal file");
    if (const auto bad = RefuseOverwrite(file, options); !bad) return Propagate(bad);
    if (!arguments->column.empty()) arguments->read.table.columns = {arguments->column};
    const auto read = ToReadOptions(arguments->read);
    if (!read) return Propagate(read);
    return Answer(file, *arguments, *read);
  };
}

}  // namespace heliostat::cli
