#include "heliostat/signals/signal_files/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/text_encoding.h"
#include "heliostat/signals/signal_files/any_table.h"
#include "heliostat/signals/signal_files/readers.h"
#include "heliostat/signals/signal_files/tariff_table.h"

namespace heliostat::signal_files {
namespace {

// Formats with a more specific header come first.
const std::array<const Reader*, 12>& Readers() {
  static const std::array<const Reader*, 12> kReaders{
      &kCanonical, &kCarbonCastForecast, &kCarbonCast,     &kChase,           &kRtsGmlc, &kElectricityMapsExport,
      &kNeso,      &kZoneTable,          &kWholesalePrice, &kSolcastForecast, &kSolcast, &kCapacityFactor};
  return kReaders;
}

constexpr FormatFacts kAnyTable{"table", "any other table: a column of times and columns of numbers"};

std::string NamesOfFormats() {
  std::string names;
  for (const FormatFacts& facts : KnownFormats()) names += fmt::format("{}{}", names.empty() ? "" : ", ", facts.name);
  return names;
}

// The reader of the format that the header has or that the options name; null when it has none.
Result<const Reader*> ChooseReader(const Input& input) {
  const std::string& wanted = input.options.format;
  for (const Reader* reader : Readers()) {
    if (wanted.empty() ? reader->matches(input) : reader->facts.name == wanted) {
      if (reader->matches(input)) return reader;
      return Fail(ErrorCode::kInvalidArgument, input.file + ":1", fmt::format("does not have the format {}", wanted),
                  fmt::format("its header must be: {}", reader->facts.description));
    }
  }
  if (!wanted.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "format option", fmt::format("'{}' is not known", Printable(wanted, 40)),
                "one of " + NamesOfFormats());
  }
  return nullptr;
}

Status RefuseRepeatedNames(const Input& input) {
  std::set<std::string_view> seen;
  for (const std::string& name : input.header) {
    if (seen.insert(name).second) continue;
    return Fail(ErrorCode::kInvalidArgument, input.file + ":1",
                fmt::format("two columns have the name '{}'", Printable(name, 60)), "names must differ");
  }
  return {};
}

// The user has said how the table is laid out, so no format describes it.
bool IsTableWanted(const ReadOptions& options) {
  const TableOptions& table = options.table;
  return options.format == kAnyTable.name || !table.time_column.empty() || !table.delimiter.empty() ||
         !table.decimal.empty() || !table.date_order.empty() || !table.where.empty() || !table.stamps.empty() ||
         !table.year.empty();
}

Status RefuseOptions(const ReadOptions& options) {
  constexpr std::array<std::string_view, 5> kQuantities{"", "carbon", "price", "share", "power"};
  if (std::ranges::find(kQuantities, options.quantity) == kQuantities.end()) {
    return Fail(ErrorCode::kInvalidArgument, "quantity option",
                fmt::format("'{}' is not known", Printable(options.quantity, 40)),
                "one of carbon, price, share, power");
  }
  if (options.table.unit.empty()) return {};
  const auto unit = signal::ParseUnit(options.table.unit, "unit option");
  return unit ? Status() : Propagate(unit);
}

// Formats that read local times use the option.
void NoteUnusedTimeZone(const ReadOptions& options, SignalTable& table) {
  if (options.time_zone.empty() || table.format == kWholesalePrice.facts.name || table.format == kRtsGmlc.facts.name)
    return;
  table.notes.emplace_back("its times are in UTC: option 'time-zone' is not used");
}

// Columns of these formats state a unit; the user's unit replaces it. Canonical files and tables of zones apply the
// option themselves.
Status ReplaceUnit(const ReadOptions& options, SignalTable& table) {
  if (options.table.unit.empty() || table.format == kCanonical.facts.name || table.format == kZoneTable.facts.name)
    return {};
  const auto unit = signal::ParseUnit(options.table.unit, "unit option");
  if (!unit) return Propagate(unit);
  const std::string wanted = options.table.columns.empty() ? "" : options.table.columns.front();
  const auto found = table.Find(wanted);
  if (!found) return Propagate(found);
  SignalColumn& column = table.columns[static_cast<std::size_t>(*found - table.columns.data())];
  signal::Meaning& meaning = column.signal.meaning;
  if (meaning.kind != unit->kind || unit->is_energy_per_step) {
    return Fail(ErrorCode::kInvalidArgument, "unit option",
                fmt::format("'{}' is not a unit of {}", Printable(options.table.unit, 40), NameOf(meaning.kind)),
                fmt::format("column '{}' is in {}", Printable(column.signal.name, 60), UnitText(meaning)));
  }
  table.notes.push_back(fmt::format("column '{}' says {}; read as {}, as option 'unit' says",
                                    Printable(column.signal.name, 60), UnitText(meaning), unit->text));
  meaning.unit = unit->unit;
  if (unit->currency) meaning.currency = unit->currency;
  column.signal.series = column.signal.series.Scaled(unit->factor);
  for (signal::ForecastRun& run : column.runs) run.series = run.series.Scaled(unit->factor);
  for (double* value : {&column.cells.min, &column.cells.mean, &column.cells.max}) *value *= unit->factor;
  return {};
}

Result<SignalTable> ReadKnown(const Reader& reader, std::string_view text, const Input& input) {
  if (const auto bad = RefuseRepeatedNames(input); !bad) return Propagate(bad);
  io::CsvReader csv(text, input.file, {.is_ragged = input.options.table.skips_bad_rows});
  csv.NextRow();
  auto table = reader.read(csv, input);
  if (!table) return table;
  NoteUnusedTimeZone(input.options, *table);
  if (const auto bad = ReplaceUnit(input.options, *table); !bad) return Propagate(bad);
  return table;
}

// `text` is UTF-8.
Result<SignalTable> ReadDecoded(std::string_view text, std::string_view encoding, const std::string& file,
                                const ReadOptions& options) {
  if (IsTariffWanted(text, options)) return ReadTariffTable(text, file, options);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, file, "is empty", "a header and rows are needed");
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n') + 1;
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}", file, line), "holds a NUL byte",
                "must be text, not binary data");
  }
  io::CsvReader csv(text, file);
  if (!IsTableWanted(options) && csv.NextRow()) {
    Input input{file, options, csv.texts(), {}, 0};
    const std::size_t before = csv.rest().size();
    if (csv.NextRow()) input.first_row = csv.texts();
    input.expected_rows = before / std::max<std::size_t>(before - csv.rest().size(), 1) * 9 / 8;
    const auto reader = ChooseReader(input);
    if (!reader) return Propagate(reader);
    if (*reader != nullptr) return ReadKnown(**reader, text, input);
    if (input.first_row.empty()) {
      if (const auto bad = RefuseRepeatedNames(input); !bad) return Propagate(bad);
    }
  }
  return ReadAnyTable(text, encoding, file, options);
}

}  // namespace

std::span<const FormatFacts> KnownFormats() {
  static const auto kFacts = [] {
    std::vector<FormatFacts> facts;
    for (const Reader* reader : Readers()) facts.push_back(reader->facts);
    facts.push_back(kAnyTable);
    facts.insert(facts.end(), kTariffFormats.begin(), kTariffFormats.end());
    return facts;
  }();
  return kFacts;
}

Result<SignalTable> ReadSignalText(std::string_view text, const std::string& file, const ReadOptions& options) {
  if (const auto bad = RefuseOptions(options); !bad) return Propagate(bad);
  if (io::IsPlainUtf8(text)) return ReadDecoded(text, "UTF-8", file, options);
  const io::DecodedText decoded = io::DecodeText(text);
  return ReadDecoded(decoded.text, decoded.encoding, file, options);
}

Result<SignalTable> ReadSignals(const std::string& path, const ReadOptions& options) {
  const auto text = io::ReadTextFile(path);
  if (!text) return Propagate(text);
  return ReadSignalText(*text, path, options);
}

}  // namespace heliostat::signal_files
