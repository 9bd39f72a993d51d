// A year of hourly capacity factors without times: ",Power" and the number of the hour in the first column. The name of
// the file contains the year.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

bool IsCapacityFactor(const Input& input) {
  return input.header.size() >= 2 && input.header[0].empty() && !input.first_row.empty() && input.first_row[0] == "0" &&
         std::ranges::none_of(input.header, [](const std::string& name) {
           return ContainsWord(name, "time") || ContainsWord(name, "date") || signal::UnitInName(name);
         });
}

// The first number of exactly four digits that is a year from 1950 to 2099.
std::optional<int> YearIn(std::string_view name) {
  for (std::size_t i = 0; i + 4 <= name.size(); ++i) {
    const auto year = io::ParseInteger(name.substr(i, 4));
    const bool ends = i + 4 == name.size() || std::isdigit(static_cast<unsigned char>(name[i + 4])) == 0;
    const bool begins = i == 0 || std::isdigit(static_cast<unsigned char>(name[i - 1])) == 0;
    if (year && begins && ends && *year >= 1950 && *year < 2100) return *year;
  }
  return std::nullopt;
}

Result<SignalTable> ReadCapacityFactor(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "capacity-factor");
  const std::string name = BaseName(input.file);
  const auto year = YearIn(name);
  if (!year && !input.options.span) {
    return Fail(ErrorCode::kInvalidArgument, input.file, "has row numbers and no times",
                "put the year into the name of the file or set option 'start'");
  }
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCapacityFactor;
  meaning.unit = signal::Unit::kPerUnit;
  meaning.nature = signal::Nature::kMeasured;
  meaning.zone = input.options.zone;
  meaning.time_base = "hour of the year, read as UTC";
  for (std::size_t i = 1; i < input.header.size(); ++i) draft.AddColumn(i, input.header[i], meaning);
  const Instant start =
      year ? Instant{std::chrono::sys_days{std::chrono::year{*year} / 1 / 1}} : input.options.span->begin;
  constexpr Duration kHour{3600};
  std::int32_t expected = 0;
  auto table = ReadRows(csv, draft, [&](const io::CsvReader& row) -> Result<std::optional<Instant>> {
    const auto hour = io::ParseInteger(row.cell(0));
    if (!hour || *hour != expected) {
      return Fail(ErrorCode::kInvalidArgument, row.where(),
                  fmt::format("row number is '{}'", Printable(row.cell(0), 20)), fmt::format("must be {}", expected));
    }
    return start + kHour * expected++;
  });
  if (table) table->notes.push_back("hours are counted from the start of the year; the file does not name a time zone");
  return table;
}

}  // namespace

const Reader kCapacityFactor{{"capacity-factor", "a year of hourly capacity factors, rows numbered from 0"},
                             IsCapacityFactor,
                             ReadCapacityFactor};

}  // namespace heliostat::signal_files
