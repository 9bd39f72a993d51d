#include <fmt/format.h>

#include "heliostat/model/scenario/read_parts.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::scenario {
namespace {

// The kind that a signal's column must have, if its name or format determines a kind.
signal::Kind KindOf(SignalRole role) {
  switch (role) {
    case SignalRole::kCarbon:
      return signal::Kind::kCarbonIntensity;
    case SignalRole::kRenewable:
      return signal::Kind::kPower;
    case SignalRole::kPrice:
      return signal::Kind::kPrice;
    case SignalRole::kRate:
      break;
  }
  return signal::Kind::kOther;
}

std::string_view ExampleUnit(SignalRole role) {
  return role == SignalRole::kCarbon ? "g/kWh" : role == SignalRole::kRenewable ? "kW" : "EUR/MWh";
}

// The error of a signal file in the words of a scenario, which has a key for the unit and none for other options.
Error InWordsOfScenario(Error error, SignalRole role) {
  constexpr std::string_view kUnit = "set option 'unit'";
  for (std::string* text : {&error.what, &error.allowed}) {
    const auto at = text->find(kUnit);
    if (at != std::string::npos) {
      text->replace(at, kUnit.size(), fmt::format("write unit = \"{}\" beside its column", ExampleUnit(role)));
    }
  }
  if (error.where == "unit option") error.where = "unit";
  if (error.allowed.find("option '") != std::string::npos) {
    error.allowed = "make a canonical file of it with heliostat signal convert, which has options for this";
  }
  return error;
}

// The factor from the unit of the column to that of the scenario.
Result<double> FactorOf(const signal::Signal& column, SignalRole role, const Scenario& scenario,
                        const std::string& file) {
  const signal::Meaning& meaning = column.meaning;
  if (role == SignalRole::kRate) return 1.0;
  if (meaning.kind == signal::Kind::kOther) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' does not state its unit", Printable(column.name, 60)),
                fmt::format("write unit = \"{}\" beside it in the scenario, or name it {}", ExampleUnit(role),
                            signal::ToCanonical(KindOf(role), signal::Unit::kNone).column));
  }
  if (meaning.kind != KindOf(role)) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' is {}", Printable(column.name, 60), NameOf(meaning.kind)),
                fmt::format("must be {}", NameOf(KindOf(role))));
  }
  if (meaning.currency && *meaning.currency != scenario.currency) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' is in {}", Printable(column.name, 60), meaning.currency->code()),
                fmt::format("must be in the scenario's currency, {}", scenario.currency.code()));
  }
  return signal::ToCanonical(meaning.kind, meaning.unit).factor;
}

std::string NeededHorizon(const Scenario& scenario) {
  return fmt::format("needed are all of {} to {}", FormatInstant(scenario.start), FormatInstant(scenario.end()));
}

// Checks each sample in the horizon, because a mean would hide a negative one.
Status RefuseSamples(const signal::StepSeries& series, const std::string& column, SignalRole role,
                     const Scenario& scenario, const std::string& file) {
  if (!series.span().Contains(scenario.horizon())) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("covers {} to {} only", FormatInstant(series.start()), FormatInstant(series.end())),
                NeededHorizon(scenario));
  }
  auto i = static_cast<std::size_t>((scenario.start - series.start()) / series.step());
  for (; i < series.size() && series.TimeOf(i) < scenario.end(); ++i) {
    const double value = series.values()[i];
    if (value >= 0.0 || (role == SignalRole::kPrice && !signal::IsMissing(value))) continue;
    const std::string what = signal::IsMissing(value) ? "has no value" : fmt::format("is {}", value);
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' {} at {}", Printable(column, 60), what, FormatInstant(series.TimeOf(i))),
                signal::IsMissing(value) ? NeededHorizon(scenario) : "must be 0 or more");
  }
  return {};
}

// A series that has no gap in the horizon.
std::vector<double> MeansOverSlots(const signal::StepSeries& series, const Scenario& scenario) {
  std::vector<double> means;
  means.reserve(scenario.slots);
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const Interval span = scenario.SlotSpan(slot);
    const auto first = (span.begin - series.start()) / series.step();
    const auto last = (span.end - Duration{1} - series.start()) / series.step();
    // No sum for a single value, so that it stays exactly as written.
    means.push_back(first == last ? series.values()[static_cast<std::size_t>(first)] : *series.Mean(span));
  }
  return means;
}

Result<std::vector<double>> ScaledMeans(const signal::Signal& signal, double factor, SignalRole role,
                                        const Scenario& scenario, const std::string& file) {
  if (const auto bad = RefuseSamples(signal.series, signal.name, role, scenario, file); !bad) return Propagate(bad);
  std::vector<double> means = MeansOverSlots(signal.series, scenario);
  for (double& mean : means) mean *= factor;
  return means;
}

}  // namespace

Result<const signal_files::SignalTable*> SignalFiles::Open(const SignalSource& source, SignalRole role,
                                                           const Scenario& scenario) {
  // Rates have no unit, and many services share a file: it is read once.
  const bool has_unit = role != SignalRole::kRate && !source.column.empty();
  const std::string key = has_unit ? source.path + '\n' + source.column + '\n' + source.unit : source.path;
  const auto known = tables_.find(key);
  if (known != tables_.end()) return &known->second;
  const auto text = files_(source.path);
  if (!text) return Propagate(text);
  signal_files::ReadOptions options;
  if (has_unit) options.table.columns = {source.column};
  options.table.unit = source.unit;
  if (role == SignalRole::kPrice) options.default_currency = scenario.currency.code();
  auto table = signal_files::ReadSignalText(*text, source.path, options);
  if (!table) return tl::unexpected(InWordsOfScenario(table.error(), role));
  // A plan shows no notes, so it must not rest on what was assumed about a table of any layout.
  if (table->format == "table" && !table->notes.empty()) {
    return tl::unexpected(InWordsOfScenario(
        {ErrorCode::kInvalidArgument, source.path, table->notes.front(), "set option 'format'"}, role));
  }
  return &tables_.emplace(key, *std::move(table)).first->second;
}

Result<std::vector<double>> SignalFiles::PerSlot(const SignalSource& source, SignalRole role,
                                                 const Scenario& scenario) {
  const auto table = Open(source, role, scenario);
  if (!table) return Propagate(table);
  const auto found = (*table)->Find(source.column);
  if (!found) return Propagate(found);
  const auto factor = FactorOf((*found)->signal, role, scenario, source.path);
  if (!factor) return Propagate(factor);
  return ScaledMeans((*found)->signal, *factor, role, scenario, source.path);
}

std::optional<signal::StepSeries> SignalFiles::Before(const SignalSource& source, SignalRole role,
                                                      const Scenario& scenario) {
  const auto table = Open(source, role, scenario);
  if (!table) return std::nullopt;
  const auto found = (*table)->Find(source.column);
  if (!found) return std::nullopt;
  const signal::StepSeries& series = (*found)->signal.series;
  const auto factor = FactorOf((*found)->signal, role, scenario, source.path);
  if (!factor || series.start() >= scenario.start) return std::nullopt;
  const auto count = (scenario.start - series.start()) / series.step();
  if (count == 0) return std::nullopt;
  std::vector<double> values(series.values().begin(), series.values().begin() + count);
  for (double& value : values) value *= *factor;
  const auto before = signal::StepSeries::Make(series.start(), series.step(), std::move(values));
  return before ? std::optional(*before) : std::nullopt;
}

Result<std::vector<std::vector<double>>> SignalFiles::AllPerSlot(const std::string& path, SignalRole role,
                                                                 const Scenario& scenario) {
  const auto table = Open({path, ""}, role, scenario);
  if (!table) return Propagate(table);
  std::vector<std::vector<double>> all;
  for (const signal_files::SignalColumn& column : (*table)->columns) {
    // The names of futures do not matter; without a unit they are in that of a canonical file.
    const bool has_unit = column.signal.meaning.kind != signal::Kind::kOther;
    const auto factor = has_unit ? FactorOf(column.signal, role, scenario, path) : Result<double>(1.0);
    if (!factor) return Propagate(factor);
    auto values = ScaledMeans(column.signal, *factor, role, scenario, path);
    if (!values) return Propagate(values);
    all.push_back(*std::move(values));
  }
  return all;
}

}  // namespace heliostat::scenario
