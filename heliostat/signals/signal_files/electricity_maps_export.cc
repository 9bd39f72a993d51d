// Yearly files of the Electricity Maps data portal: one zone per file, carbon intensity on both bases and shares of
// carbon-free and renewable energy.
#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

bool IsExport(const Input& input) {
  return input.header.size() >= 5 && ContainsWord(input.header[0], "datetime (utc)") &&
         std::ranges::any_of(input.header,
                             [](const std::string& name) { return ContainsWord(name, "carbon intensity"); });
}

Result<SignalTable> ReadExport(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "electricity-maps-export");
  std::size_t zone = 0;
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    if (ContainsWord(input.header[i], "zone id")) zone = i;
  }
  signal::Meaning common;
  common.source = "Electricity Maps";
  common.nature = signal::Nature::kMeasured;
  common.zone = !input.options.zone.empty()                 ? input.options.zone
                : zone < input.first_row.size() && zone > 0 ? input.first_row[zone]
                                                            : "";
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    const std::string& name = input.header[i];
    signal::Meaning meaning = common;
    if (ContainsWord(name, "carbon intensity")) {
      meaning.kind = signal::Kind::kCarbonIntensity;
      meaning.unit = signal::Unit::kGramsPerKwh;
      meaning.scope = signal::Scope::kAverage;
      meaning.basis = ContainsWord(name, "direct") ? signal::Basis::kDirect : signal::Basis::kLifecycle;
      draft.AddColumn(i, meaning.basis == signal::Basis::kDirect ? "carbon_direct" : "carbon_lifecycle", meaning);
    } else if (ContainsWord(name, "percentage") || ContainsWord(name, "low carbon")) {
      meaning.kind = signal::Kind::kShare;
      meaning.unit = signal::Unit::kPercent;
      draft.AddColumn(i, ContainsWord(name, "renewable") ? "renewable" : "carbon_free", meaning);
    }
  }
  return ReadRows(csv, draft, [&](const io::CsvReader& row) -> Result<std::optional<Instant>> {
    if (zone > 0 && row.cell(zone) != input.first_row[zone]) {
      return Fail(
          ErrorCode::kInvalidArgument, row.where(),
          fmt::format("zone '{}' follows '{}'", Printable(row.cell(zone), 40), Printable(input.first_row[zone], 40)),
          "one zone per file");
    }
    return UtcCell(row, 0);
  });
}

}  // namespace

const Reader kElectricityMapsExport{
    {"electricity-maps-export", "Electricity Maps data portal: a year of one zone"}, IsExport, ReadExport};

}  // namespace heliostat::signal_files
