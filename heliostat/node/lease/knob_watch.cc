#include "heliostat/node/lease/knob_watch.h"

#include <cmath>
#include <limits>

namespace heliostat::lease {

using device::Knob;
using device::Setting;

Setting KnobWatch::Normal(const Setting& setting) const {
  const bool is_number = setting.knob != Knob::kPowerLimit || !setting.is_default;
  return is_number ? setting : Setting::PowerLimit(gpu_->abilities().default_limit);
}

std::int64_t KnobWatch::LevelOf(const Setting& setting) const {
  const Setting normal = Normal(setting);
  return normal.is_default ? std::numeric_limits<std::int64_t>::max() : normal.high;
}

std::optional<std::int64_t> KnobWatch::Counter(std::chrono::seconds age) {
  if (!gpu_->abilities().has_energy_counter) return std::nullopt;
  const auto now = machine_->SinceBoot();
  if (counter_mj_ && now - counted_at_ < age) return counter_mj_;
  const auto energy = gpu_->Energy();
  if (!energy || !std::isfinite(energy->value) || energy->value < 0.0 || energy->value > 1e15) return std::nullopt;
  counted_at_ = now;
  counter_mj_ = std::llround(energy->value * 1e3);
  return counter_mj_;
}

Result<KnobWatch::Start> KnobWatch::Begin(Knob knob) {
  const auto read = gpu_->Stands(knob);
  if (!read && read.error().code != ErrorCode::kUnsupported) return Propagate(read);
  Start start;
  LeasedKnob& page = start.page;
  page.base = Normal(read ? *read : Setting::Default(knob));
  page.asked = page.base;
  page.stands = page.base;
  page.boot = machine_->BootId();
  page.counter_mj = Counter(kCounterEvery);
  if (read) start.sight.at = page.base;
  return start;
}

Result<KnobWatch::Sight> KnobWatch::Look(Knob knob, const LeasedKnob& page) {
  const bool is_rebooted = page.boot != machine_->BootId();
  const auto read = gpu_->Stands(knob);
  if (!read && read.error().code != ErrorCode::kUnsupported) return Propagate(read);
  Sight sight;
  sight.is_fresh = is_rebooted || page.is_reloaded;
  if (!read) return sight;
  const Setting at = Normal(*read);
  sight.at = at;
  // At its base without our doing: before we looked, a crash may have kept what we did off the record; later it is
  // somebody else's will.
  const bool is_known = at == page.stands || at == page.pending || (at == page.base && !page.is_settled);
  if (is_known) return sight;
  if (!sight.is_fresh && page.counter_mj) {
    const auto now = Counter(std::chrono::seconds(0));
    sight.is_fresh = now && *now < *page.counter_mj;
  }
  // A write that may have been cut short left the knob anywhere the driver saw fit; a new driver forgot it.
  sight.is_foreign = sight.is_fresh ? at != Normal(Setting::Default(knob)) : !page.pending;
  return sight;
}

bool KnobWatch::IsThere(const LeasedKnob& page, const Sight& sight, const Setting& wanted) const {
  if (sight.at) return *sight.at == wanted || (*sight.at == page.stands && page.asked == wanted);
  // A boot unlocks clocks. So does a new driver, but that is a guess from a counter: unlocking once more does no harm.
  if (page.boot != machine_->BootId()) return wanted.is_default;
  return !page.pending && page.asked == wanted && (!page.is_reloaded || wanted.is_default);
}

}  // namespace heliostat::lease
