#include "heliostat/signals/signal_files/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "heliostat/base/io/csv.h"
#include "heliostat/signals/signal_files/readers.h"
#include "heliostat/signals/signal_files/table_layout.h"

namespace heliostat::signal_files {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

bool IsCanonical(const Input& input) {
  if (input.header.size() < 2 || input.header[0] != "time") return false;
  if (input.first_row.empty()) return true;
  const auto first = ParseIsoTime(input.first_row[0]);
  // Local times are read as those of any table.
  if (first) return first->utc_offset || input.options.time_zone.empty();
  return std::ranges::any_of(input.header, [](const std::string& name) {
    return signal::MeaningOfCanonicalName(name).kind != signal::Kind::kOther;
  });
}

// The columns to which the unit of the options applies: those that the caller wants, else the only one, else those that
// state no unit.
bool TakesUnit(const Input& input, std::size_t index) {
  const auto& wanted = input.options.table.columns;
  const std::string& name = input.header[index];
  if (!wanted.empty()) {
    return std::ranges::any_of(wanted, [&](const std::string& one) { return IsSameWithoutCase(one, name); });
  }
  return input.header.size() == 2 || !signal::UnitOfColumn(name);
}

Result<signal::Meaning> MeaningOf(const signal::UnitReading& unit, const Input& input, bool is_stated_by_user) {
  signal::Meaning meaning;
  meaning.kind = unit.kind;
  meaning.unit = unit.unit;
  meaning.zone = input.options.zone;
  if (unit.kind != signal::Kind::kPrice) return meaning;
  const bool is_certain = is_stated_by_user || !unit.has_assumed_currency || input.options.currency.empty();
  const auto currency = CurrencyOf(is_certain ? unit.currency : std::nullopt, input.options, input.file);
  if (!currency) return Propagate(currency);
  meaning.currency = *currency;
  if (!meaning.currency) meaning.notes.emplace_back("currency is not known; set option 'currency'");
  return meaning;
}

Status AddCanonicalColumn(const Input& input, std::size_t index, const std::optional<signal::UnitReading>& of_user,
                          Draft& draft) {
  const std::string& name = input.header[index];
  const auto stated = signal::UnitOfColumn(name);
  const bool is_user_unit = of_user && TakesUnit(input, index);
  if (is_user_unit && stated && stated->text != of_user->text) {
    draft.Note(fmt::format("column '{}' says {}; read as {}, as option 'unit' says", Printable(name, 60), stated->text,
                           of_user->text));
  }
  const signal::UnitReading unit = is_user_unit ? *of_user : stated.value_or(signal::UnitReading{});
  auto meaning = MeaningOf(unit, input, is_user_unit);
  if (!meaning) return Propagate(meaning);
  if (meaning->kind == signal::Kind::kOther) {
    draft.Note(
        fmt::format("column '{}' does not state its unit; set option 'unit', or name it with one: "
                    "_g_per_kwh, _eur_per_mwh, _kw",
                    Printable(name, 60)));
  }
  // A source of a generation mix can be negative (pumping, own use); the generation of a site cannot.
  if (meaning->kind == signal::Kind::kPower && !name.ends_with("renewable_kw")) {
    draft.AddColumn(index, name, std::move(*meaning), -kAny, kAny);
  } else {
    draft.AddColumn(index, name, std::move(*meaning));
  }
  if (unit.kind != signal::Kind::kOther) draft.ConvertLast(unit);
  return {};
}

Result<SignalTable> ReadCanonical(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "canonical");
  std::optional<signal::UnitReading> of_user;
  if (!input.options.table.unit.empty()) {
    auto parsed = signal::ParseUnit(input.options.table.unit, "unit option");
    if (!parsed) return Propagate(parsed);
    of_user = std::move(*parsed);
  }
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    if (const auto bad = AddCanonicalColumn(input, i, of_user, draft); !bad) return Propagate(bad);
  }
  return ReadRows(csv, draft, [](const io::CsvReader& row) { return UtcCell(row, 0); });
}

// The cell, quoted where CSV requires it.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

const Reader kCanonical{{"canonical", "the format of Heliostat: time,NAME[,NAME...] in UTC, units in the names"},
                        IsCanonical,
                        ReadCanonical};

std::string CanonicalName(const signal::Signal& signal, bool is_only_one) {
  const auto canonical = ToCanonical(signal.meaning.kind, signal.meaning.unit);
  if (signal.meaning.kind == signal::Kind::kOther) return signal.name;
  const auto as_named = signal::UnitOfColumn(signal.name);
  if (as_named && as_named->kind == signal.meaning.kind && as_named->unit == canonical.unit &&
      as_named->factor == 1.0 && !as_named->is_energy_per_step &&
      (!as_named->currency || as_named->currency == signal.meaning.currency)) {
    return signal.name;
  }
  const bool is_power = signal.meaning.kind == signal::Kind::kPower;
  const bool goes_negative = is_power && std::ranges::any_of(signal.series.values(), [](double v) { return v < 0; });
  if (is_only_one && !goes_negative) return std::string(canonical.column);
  const std::string_view ending = is_power ? "kw" : canonical.column;
  return fmt::format("{}_{}", signal.name, ending);
}

Result<std::string> WriteCanonical(std::span<const signal::Signal> signals) {
  if (signals.empty())
    return Fail(ErrorCode::kInvalidArgument, "signals", "there are no signals to write", "at least one is needed");
  const signal::StepSeries& axis = signals.front().series;
  std::string text = "time";
  std::set<std::string> names;
  std::vector<double> factors;
  for (const signal::Signal& one : signals) {
    if (one.series.span() != axis.span() || one.series.step() != axis.step()) {
      return Fail(ErrorCode::kInvalidArgument, one.name, "has times different from those of the first column",
                  "convert them to one step with option 'step'");
    }
    const std::string name = CanonicalName(one, signals.size() == 1);
    if (!names.insert(name).second) {
      return Fail(ErrorCode::kInvalidArgument, one.name, fmt::format("is the second column with the name '{}'", name),
                  "choose one with option 'column'");
    }
    text += "," + Quoted(name);
    factors.push_back(ToCanonical(one.meaning.kind, one.meaning.unit).factor);
  }
  text += '\n';
  for (std::size_t i = 0; i < axis.size(); ++i) {
    text += FormatInstant(axis.TimeOf(i));
    for (std::size_t c = 0; c < signals.size(); ++c) {
      const double value = signals[c].series.values()[i];
      text += ',';
      if (!signal::IsMissing(value)) fmt::format_to(std::back_inserter(text), "{}", value * factors[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace heliostat::signal_files
