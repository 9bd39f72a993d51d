#include "heliostat/control/controller/signal_outlook.h"

#include <fmt/format.h>

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

std::optional<CarbonIntensity> SignalOutlook::carbon() const {
  if (!IsKnown(signals_.carbon)) return std::nullopt;
  return GramsPerKwh(signals_.carbon->At(now_).number);
}

Watts SignalOutlook::RenewableNow() const { return Kilowatts(std::max(0.0, ValueAt(signals_.renewable, now_))); }

std::optional<double> SignalOutlook::PriceNow() const {
  if (!IsKnown(signals_.price)) return std::nullopt;
  return signals_.price->At(now_).number;
}

CarbonIntensity SignalOutlook::DirtiestOfDay() const {
  return IsKnown(signals_.carbon) ? GramsPerKwh(signals_.carbon->HighestOfDay(now_)) : CarbonIntensity{};
}

account::Supply SignalOutlook::SupplyOf(const Interval& slot) const {
  const Watts renewable = Kilowatts(std::max(0.0, ValueAt(signals_.renewable, slot.begin)));
  return {GramsPerKwh(ValueAt(signals_.carbon, slot.begin)), renewable * Seconds(slot.length()),
          signals_.renewable_carbon, ValueAt(signals_.price, slot.begin), pue_};
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
