#include "heliostat/signals/signal_files/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "heliostat/base/io/file.h"
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

std::string NamesOfFormats() {
  std::string names;
  for (const FormatFacts& facts : KnownFormats()) names += fmt::format("{}{}", names.empty() ? "" : ", ", facts.name);
  return names;
}

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
  std::string header;
  for (const std::string& name : input.header) header += (header.empty() ? "" : ",") + name;
  return Fail(ErrorCode::kInvalidArgument, input.file + ":1",
              fmt::format("header '{}' matches no known format", Printable(header, 120)), "one of " + NamesOfFormats());
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

}  // namespace

std::span<const FormatFacts> KnownFormats() {
  static const auto kFacts = [] {
    std::vector<FormatFacts> facts;
    for (const Reader* reader : Readers()) facts.push_back(reader->facts);
    facts.insert(facts.end(), kTariffFormats.begin(), kTariffFormats.end());
    return facts;
  }();
  return kFacts;
}

Result<SignalTable> ReadSignalText(std::string_view text, const std::string& file, const ReadOptions& options) {
  if (IsTariffWanted(text, options)) return ReadTariffTable(text, file, options);
  io::CsvReader csv(text, file);
  if (!csv.NextRow()) {
    if (!csv.status()) return Propagate(csv.status());
    return Fail(ErrorCode::kInvalidArgument, file, "is empty", "a header and rows are needed");
  }
  Input input{file, options, csv.texts(), {}, 0};
  if (const auto bad = RefuseRepeatedNames(input); !bad) return Propagate(bad);
  io::CsvReader ahead(text, file);
  ahead.NextRow();
  const std::size_t before = ahead.rest().size();
  if (ahead.NextRow()) input.first_row = ahead.texts();
  input.expected_rows = before / std::max<std::size_t>(before - ahead.rest().size(), 1) * 9 / 8;
  const auto reader = ChooseReader(input);
  if (!reader) return Propagate(reader);
  return (*reader)->read(csv, input);
}

Result<SignalTable> ReadSignals(const std::string& path, const ReadOptions& options) {
  const auto text = io::ReadFile(path);
  if (!text) return Propagate(text);
  return ReadSignalText(*text, path, options);
}

}  // namespace heliostat::signal_files
