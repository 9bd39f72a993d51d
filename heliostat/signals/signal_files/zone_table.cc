// One column per zone: "utc,DE-LU,GB,...". The header does not name the quantity, so the name of the file or the caller
// must.
#include <fmt/format.h>

#include "heliostat/signals/signal_files/price_market.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

bool IsZoneTable(const Input& input) { return input.header.size() >= 2 && input.header[0] == "utc"; }

signal::Meaning TableMeaning(const Input& input, const std::optional<signal::UnitReading>& unit, Draft& draft) {
  const std::string name = BaseName(input.file);
  const std::string& said = input.options.quantity;
  signal::Meaning meaning;
  meaning.nature = signal::Nature::kMeasured;
  if (unit) {
    meaning.kind = unit->kind;
    meaning.unit = unit->unit;
  } else if (said == "price" || (said.empty() && ContainsWord(name, "price"))) {
    meaning.kind = signal::Kind::kPrice;
    meaning.unit = signal::Unit::kPerMwh;
    meaning.source = "wholesale market";
  } else if (said == "share" || (said.empty() && (ContainsWord(name, "pct") || ContainsWord(name, "percent")))) {
    meaning.kind = signal::Kind::kShare;
    meaning.unit = signal::Unit::kPercent;
  } else if (said == "power") {
    meaning.kind = signal::Kind::kPower;
    meaning.unit = signal::Unit::kMegawatt;
  } else if (said == "carbon" || (said.empty() && (ContainsWord(name, "direct") || ContainsWord(name, "lca") ||
                                                   ContainsWord(name, "lifecycle") || ContainsWord(name, "carbon")))) {
    meaning.kind = signal::Kind::kCarbonIntensity;
    meaning.unit = signal::Unit::kGramsPerKwh;
    meaning.scope = signal::Scope::kAverage;
    const bool is_lifecycle = ContainsWord(name, "lca") || ContainsWord(name, "lifecycle");
    meaning.basis = is_lifecycle                   ? signal::Basis::kLifecycle
                    : ContainsWord(name, "direct") ? signal::Basis::kDirect
                                                   : signal::Basis::kUnknown;
  } else {
    draft.Note(
        "neither header nor file name gives the quantity; set option 'quantity' to carbon, price, share or power, or "
        "option 'unit'");
  }
  if (meaning.source.empty() && name.starts_with("em_")) meaning.source = "Electricity Maps";
  if (meaning.source.empty() && ContainsWord(name, "direct_ci")) meaning.source = "CarbonCast";
  return meaning;
}

Result<SignalTable> ReadZoneTable(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "zone-table");
  std::optional<signal::UnitReading> unit;
  if (!input.options.table.unit.empty()) {
    auto parsed = signal::ParseUnit(input.options.table.unit, "unit option");
    if (!parsed) return Propagate(parsed);
    unit = std::move(*parsed);
  }
  signal::Meaning meaning = TableMeaning(input, unit, draft);
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    meaning.zone = input.header[i];
    if (meaning.kind == signal::Kind::kPrice) {
      const auto market = FindMarket(meaning.zone);
      const auto currency = CurrencyOf(unit ? unit->currency : std::nullopt, input.options, input.file);
      if (!currency) return Propagate(currency);
      meaning.currency = *currency ? *currency : market ? Currency::Parse(market->currency) : std::nullopt;
      if (!meaning.currency)
        draft.Note(fmt::format("currency of zone '{}' is not known; set option 'currency'", meaning.zone));
      meaning.source = market ? std::string(market->name) : "wholesale market";
    }
    draft.AddColumn(i, input.header[i], meaning);
    if (unit) draft.ConvertLast(*unit);
  }
  return ReadRows(csv, draft, [](const io::CsvReader& row) { return UtcCell(row, 0); });
}

}  // namespace

const Reader kZoneTable{
    {"zone-table", "one column per zone, hourly UTC: Electricity Maps, direct intensities, aligned prices"},
    IsZoneTable,
    ReadZoneTable};

}  // namespace heliostat::signal_files
