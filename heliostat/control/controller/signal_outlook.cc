#include "heliostat/control/controller/signal_outlook.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::controller {

using live_signal::SignalSource;

namespace {

constexpr Duration kAhead = std::chrono::hours(48);

bool IsKnown(const std::unique_ptr<SignalSource>& source) { return source != nullptr && source->is_known(); }

double ValueAt(const std::unique_ptr<SignalSource>& source, Instant when) {
  return IsKnown(source) ? source->At(when).number : 0.0;
}

}  // namespace

SignalOutlook::SignalOutlook(Signals signals, double pue, Duration step)
    : signals_(std::move(signals)), pue_(pue), step_(step) {
  for (const auto* source : {&signals_.carbon, &signals_.price, &signals_.renewable}) {
    if (*source != nullptr) (*source)->Begin();
  }
}

void SignalOutlook::MoveTo(Instant now, std::size_t /*slot*/) { now_ = now; }

policy::Forecast SignalOutlook::Ahead() {
  const auto slots = static_cast<std::size_t>(kAhead / step_);
  policy::Forecast ahead;
  carbon_ahead_.assign(slots, CarbonIntensity{});
  renewable_ahead_.assign(slots, Watts{});
  price_ahead_.clear();
  if (IsKnown(signals_.carbon)) {
    const auto values = signals_.carbon->Ahead(now_, step_, slots);
    for (std::size_t s = 0; s < slots; ++s) carbon_ahead_[s] = GramsPerKwh(values[s]);
    ahead.freshness = signals_.carbon->At(now_).freshness;
  }
  if (IsKnown(signals_.renewable)) {
    const auto values = signals_.renewable->Ahead(now_, step_, slots);
    for (std::size_t s = 0; s < slots; ++s) renewable_ahead_[s] = Kilowatts(std::max(0.0, values[s]));
  }
  if (IsKnown(signals_.price)) price_ahead_ = signals_.price->Ahead(now_, step_, slots);
  ahead.carbon = carbon_ahead_;
  ahead.renewable = renewable_ahead_;
  ahead.price_per_kwh = price_ahead_;
  ahead.issued = now_;
  return ahead;
}

CarbonIntensity SignalOutlook::CarbonNow() const { return carbon().value_or(CarbonIntensity{}); }

std::optional<CarbonIntensity> SignalOutlook::carbon() const { return CarbonAt(now_); }

Watts SignalOutlook::RenewableNow() const { return RenewableAt(now_).value_or(Watts{}); }

std::optional<double> SignalOutlook::PriceNow() const { return PriceAt(now_); }

std::optional<CarbonIntensity> SignalOutlook::CarbonAt(Instant when) const {
  if (!IsKnown(signals_.carbon)) return std::nullopt;
  return GramsPerKwh(signals_.carbon->At(when).number);
}

std::optional<double> SignalOutlook::PriceAt(Instant when) const {
  if (!IsKnown(signals_.price)) return std::nullopt;
  return signals_.price->At(when).number;
}

std::optional<Watts> SignalOutlook::RenewableAt(Instant when) const {
  if (!IsKnown(signals_.renewable)) return std::nullopt;
  return Kilowatts(std::max(0.0, signals_.renewable->At(when).number));
}

CarbonIntensity SignalOutlook::DirtiestOfDay() const {
  return IsKnown(signals_.carbon) ? GramsPerKwh(signals_.carbon->HighestOfDay(now_)) : CarbonIntensity{};
}

account::Supply SignalOutlook::SupplyOf(const Interval& slot) const {
  const Watts renewable = Kilowatts(std::max(0.0, ValueAt(signals_.renewable, slot.begin)));
  return {GramsPerKwh(ValueAt(signals_.carbon, slot.begin)), renewable * Seconds(slot.length()),
          signals_.renewable_carbon, ValueAt(signals_.price, slot.begin), pue_};
}

SignalOutlook::Rate SignalOutlook::MeanOver(const Interval& span) const {
  Rate sum;
  double seconds = 0.0;
  for (Instant at{step_ * (span.begin.time_since_epoch() / step_)}; at < span.end; at += step_) {
    const double part = Seconds(std::min(span.end, at + step_) - std::max(span.begin, at)).count();
    sum.carbon += part * CarbonAt(at).value_or(CarbonIntensity{}).value;
    sum.cost += part * PriceAt(at).value_or(0.0) / kJoulesPerKwh;
    seconds += part;
  }
  if (seconds <= 0.0) return {};
  return {sum.carbon / seconds, sum.cost / seconds};
}

std::vector<std::string> SignalOutlook::Problems() const {
  std::vector<std::string> problems;
  for (const auto& [name, source] : {std::pair{"carbon", &signals_.carbon}, std::pair{"price", &signals_.price},
                                     std::pair{"renewable", &signals_.renewable}}) {
    if (*source == nullptr) continue;
    if (!(*source)->is_known()) {
      problems.push_back(fmt::format("signal {}: no value yet from {}; it counts as 0", name, (*source)->name()));
    } else if (const auto value = (*source)->At(now_); value.freshness > signal::Freshness::kMeasured) {
      problems.push_back(
          fmt::format("signal {}: {} ({} old)", name, signal::NameOf(value.freshness), FormatDuration(value.age)));
    }
  }
  return problems;
}

}  // namespace heliostat::controller
