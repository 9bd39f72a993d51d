#include "heliostat/signals/signal_files/value_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/signals/signal_files/draft.h"

namespace heliostat::signal_files {
namespace {

bool IsKindWanted(signal::Kind kind, const std::string& quantity) {
  return quantity.empty() || (quantity == "carbon" && kind == signal::Kind::kCarbonIntensity) ||
         (quantity == "price" && kind == signal::Kind::kPrice) ||
         (quantity == "share" && kind == signal::Kind::kShare) || (quantity == "power" && kind == signal::Kind::kPower);
}

bool MayBeValue(const TableLayout& layout, const TimeColumns& times, std::size_t i) {
  const TableColumn& column = layout.columns[i];
  return !times.Uses(i) && column.IsNumber();
}

// The unit that a user would have to state, from the size of the values.
std::string LikelyUnits(const TableLayout& layout, std::size_t index) {
  const signal::Kind kind = signal::KindInName(layout.columns[index].name);
  if (kind == signal::Kind::kCarbonIntensity) return "such as g/kWh or lb/MWh";
  if (kind == signal::Kind::kPower) return "such as kW or MW";
  if (kind != signal::Kind::kPrice) return "such as EUR/MWh, g/kWh or kW";
  std::vector<double> sizes;
  for (const auto& row : layout.sample) {
    const auto value = index < row.size() ? io::ParseWrittenNumber(row[index], layout.decimal) : std::nullopt;
    if (value) sizes.push_back(std::abs(*value));
  }
  std::ranges::sort(sizes);
  if (sizes.empty()) return "such as EUR/MWh";
  return sizes[sizes.size() / 2] > 3.0 ? "such as EUR/MWh or ct/kWh" : "such as EUR/kWh";
}

tl::unexpected<Error> NoUnit(const TableLayout& layout, const Wanted& wanted, const std::string& file) {
  return Fail(ErrorCode::kInvalidArgument, file,
              fmt::format("column '{}' does not state its unit", Printable(wanted.name, 60)),
              fmt::format("set option 'unit', {}", LikelyUnits(layout, wanted.index)));
}

std::string NamesOf(const TableLayout& layout, const std::vector<std::size_t>& columns) {
  std::string names;
  for (const std::size_t i : columns) names += (names.empty() ? "" : ", ") + layout.columns[i].name;
  return names;
}

// The columns that may be meant when the user names none.
Result<std::vector<std::size_t>> LikelyColumns(const TableLayout& layout, const TimeColumns& times,
                                               const std::optional<signal::UnitReading>& unit, const std::string& file,
                                               const ReadOptions& options) {
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> with_unit;
  std::vector<std::size_t> of_kind;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    if (!MayBeValue(layout, times, i)) continue;
    const auto& known = layout.columns[i].unit;
    const signal::Kind kind = known ? known->kind : signal::KindInName(layout.columns[i].name);
    // A number that never changes names the series: an id, a node.
    if (!known && layout.columns[i].is_constant && layout.sample.size() > 2) continue;
    numbers.push_back(i);
    if (known && IsKindWanted(kind, options.quantity)) with_unit.push_back(i);
    if (unit ? kind == unit->kind : !options.quantity.empty() && IsKindWanted(kind, options.quantity))
      of_kind.push_back(i);
  }
  if (numbers.empty()) return Fail(ErrorCode::kInvalidArgument, file, "has no column of numbers beside its times");
  if (!unit && !with_unit.empty()) return with_unit;
  if (numbers.size() == 1) return numbers;
  if (of_kind.size() == 1) return of_kind;
  return Fail(ErrorCode::kInvalidArgument, file,
              fmt::format("has {} columns of numbers: {}", numbers.size(), Printable(NamesOf(layout, numbers), 120)),
              unit ? "name one with option 'value-column'"
                   : "name one with option 'value-column', and its unit with option 'unit'");
}

}  // namespace

Result<std::vector<Wanted>> ChooseColumns(const TableLayout& layout, const TimeColumns& times, const std::string& file,
                                          const ReadOptions& options) {
  std::optional<signal::UnitReading> unit;
  if (!options.table.unit.empty()) {
    auto parsed = signal::ParseUnit(options.table.unit, "unit option");
    if (!parsed) return Propagate(parsed);
    unit = std::move(*parsed);
  }
  std::vector<Wanted> wanted;
  for (const std::string& name : options.table.columns) {
    const auto index = FindColumn(layout, name, file);
    if (!index) return Propagate(index);
    wanted.push_back({*index, layout.columns[*index].name, name});
  }
  if (!times.hours.empty()) {
    if (!wanted.empty()) {
      return Fail(ErrorCode::kInvalidArgument, file,
                  fmt::format("its values are in the columns {}", Printable(NameOfHours(layout, times), 60)),
                  "leave option 'value-column' out, and choose rows with option 'where'");
    }
    wanted.push_back({times.hours.front().index, NameOfHours(layout, times)});
  }
  if (wanted.empty()) {
    const auto likely = LikelyColumns(layout, times, unit, file, options);
    if (!likely) return Propagate(likely);
    for (const std::size_t index : *likely) wanted.push_back({index, layout.columns[index].name});
  }
  for (Wanted& one : wanted) {
    const auto& stated = layout.columns[one.index].unit;
    if (!unit && !stated) return NoUnit(layout, one, file);
    one.unit = unit ? *unit : *stated;
    if (!IsKindWanted(one.unit.kind, options.quantity)) {
      return Fail(ErrorCode::kInvalidArgument, file,
                  fmt::format("column '{}' is {}, option 'quantity' says {}", Printable(one.name, 60),
                              NameOf(one.unit.kind), options.quantity),
                  "both must agree");
    }
    if (one.unit.kind != signal::Kind::kPrice) continue;
    const bool is_certain = one.unit.currency && (unit || !one.unit.has_assumed_currency || options.currency.empty());
    const auto currency = CurrencyOf(is_certain ? one.unit.currency : std::nullopt, options, file);
    if (!currency) return Propagate(currency);
    one.currency = *currency;
  }
  return wanted;
}

}  // namespace heliostat::signal_files
