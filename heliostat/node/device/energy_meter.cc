#include "heliostat/node/device/energy_meter.h"

namespace heliostat::device {

Status EnergyMeter::Sample(Gpu& gpu, Time now, bool is_last) {
  const auto reading = gpu.Read();
  if (!reading) return Propagate(reading);
  if (!reading->power) return Fail(ErrorCode::kUnsupported, gpu.identity().uuid, "does not report its power");
  if (last_) {
    const Joules part = 0.5 * (last_power_ + *reading->power) * Seconds(now - *last_);
    integrated_ += part;
    since_counter_ += part;
  } else {
    first_ = now;
  }
  last_ = now;
  last_power_ = *reading->power;
  ++samples_;

  const bool is_due = is_last || !last_counted_at_ || now - *last_counted_at_ >= counter_every_;
  if (!gpu.abilities().has_energy_counter || !is_due) return {};
  const auto count = gpu.Energy();
  if (!count) return Propagate(count);
  // Energy before the first count, and between the last count and a reload, is known from power alone.
  const bool is_known = last_count_ && *last_count_ <= *count;
  counted_ += is_known ? *count - *last_count_ : since_counter_;
  last_count_ = *count;
  last_counted_at_ = now;
  since_counter_ = Joules{0};
  return {};
}

Joules EnergyMeter::energy() const { return last_count_ ? counted_ + since_counter_ : integrated_; }

std::optional<Joules> EnergyMeter::counted() const { return last_count_ ? std::optional(counted_) : std::nullopt; }

EnergyMeter::Time EnergyMeter::covered() const { return first_ ? *last_ - *first_ : Time{0}; }

}  // namespace heliostat::device
