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

// The factor from the unit of the column to that of the scenario. A column without a known unit is in the unit of the
// scenario.
Result<double> FactorOf(const signal::Signal& column, SignalRole role, const Scenario& scenario,
                        const std::string& file) {
  const signal::Meaning& meaning = column.meaning;
  if (role == SignalRole::kRate || meaning.kind == signal::Kind::kOther) return 1.0;
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

}  // namespace

Result<const signal_files::SignalTable*> SignalFiles::Open(const std::string& path) {
  const auto known = tables_.find(path);
  if (known != tables_.end()) return &known->second;
  const auto text = files_(path);
  if (!text) return Propagate(text);
  auto table = signal_files::ReadSignalText(*text, path);
  if (!table) return Propagate(table);
  return &tables_.emplace(path, *std::move(table)).first->second;
}

Result<std::vector<double>> SignalFiles::PerSlot(const std::string& path, const std::string& column, SignalRole role,
                                                 const Scenario& scenario) {
  const auto table = Open(path);
  if (!table) return Propagate(table);
  const auto found = (*table)->Find(column);
  if (!found) return Propagate(found);
  const signal::StepSeries& series = (*found)->signal.series;
  const auto factor = FactorOf((*found)->signal, role, scenario, path);
  if (!factor) return Propagate(factor);
  if (const auto bad = RefuseSamples(series, column, role, scenario, path); !bad) return Propagate(bad);
  std::vector<double> means = MeansOverSlots(series, scenario);
  for (double& mean : means) mean *= *factor;
  return means;
}

std::optional<signal::StepSeries> SignalFiles::Before(const std::string& path, const std::string& column,
                                                      SignalRole role, const Scenario& scenario) {
  const auto table = Open(path);
  if (!table) return std::nullopt;
  const auto found = (*table)->Find(column);
  if (!found) return std::nullopt;
  const signal::StepSeries& series = (*found)->signal.series;
  const auto factor = FactorOf((*found)->signal, role, scenario, path);
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
  const auto table = Open(path);
  if (!table) return Propagate(table);
  std::vector<std::vector<double>> all;
  for (const signal_files::SignalColumn& column : (*table)->columns) {
    auto values = PerSlot(path, column.signal.name, role, scenario);
    if (!values) return Propagate(values);
    all.push_back(*std::move(values));
  }
  return all;
}

}  // namespace heliostat::scenario
