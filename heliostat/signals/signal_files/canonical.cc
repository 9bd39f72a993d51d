#include "heliostat/signals/signal_files/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "heliostat/base/io/csv.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

bool IsCanonical(const Input& input) { return input.header.size() >= 2 && input.header[0] == "time"; }

Result<SignalTable> ReadCanonical(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "canonical");
  for (std::size_t i = 1; i < input.header.size(); ++i) {
    signal::Meaning meaning = signal::MeaningOfCanonicalName(input.header[i]);
    meaning.zone = input.options.zone;
    if (meaning.kind == signal::Kind::kPrice) {
      meaning.currency = Currency::Parse(input.options.currency);
      if (!meaning.currency) meaning.notes.push_back("currency is not known; set option 'currency'");
    }
    if (meaning.kind == signal::Kind::kOther) {
      draft.Note(
          fmt::format("column '{}' does not end in a unit; known endings are _g_per_kwh, _kw, _mw, _w, "
                      "price_per_kwh, capacity_factor, _percent",
                      Printable(input.header[i], 60)));
    }
    // A source of a generation mix can be negative (pumping, own use); the generation of a site cannot.
    if (meaning.kind == signal::Kind::kPower && !input.header[i].ends_with("renewable_kw")) {
      draft.AddColumn(i, input.header[i], std::move(meaning), -kAny, kAny);
    } else {
      draft.AddColumn(i, input.header[i], std::move(meaning));
    }
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
  const auto as_named = signal::MeaningOfCanonicalName(signal.name);
  if (as_named.kind == signal.meaning.kind && as_named.unit == canonical.unit) return signal.name;
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
