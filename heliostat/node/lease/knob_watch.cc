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
  const auto named = bases_.find(knob);
  const bool is_named = !read && named != bases_.end();
  if (is_named) {
    const auto possible = device::CheckRange(gpu_->identity(), gpu_->abilities(), named->second);
    if (!possible) return Propagate(possible);
  }
  Start start;
  LeasedKnob& leased = start.leased;
  leased.base = Normal(read ? *read : is_named ? named->second : Setting::Default(knob));
  leased.asked = leased.base;
  leased.stands = leased.base;
  leased.boot = machine_->BootId();
  leased.counter_mj = Counter(kCounterEvery);
  if (read) start.seen.at = leased.base;
  return start;
}

Result<KnobWatch::KnobState> KnobWatch::Look(Knob knob, const LeasedKnob& leased) {
  const bool is_rebooted = leased.boot != machine_->BootId();
  const auto read = gpu_->Stands(knob);
  if (!read && read.error().code != ErrorCode::kUnsupported) return Propagate(read);
  KnobState seen;
  seen.is_fresh = is_rebooted || leased.is_reloaded;
  if (!read) return seen;
  const Setting at = Normal(*read);
  seen.at = at;
  // A knob at its base that this program did not put there: before the first check, a crash may have kept that write
  // off the journal; after it, another program did it.
  const bool is_known = at == leased.stands || at == leased.pending || (at == leased.base && !leased.is_settled);
  if (is_known) return seen;
  if (!seen.is_fresh && leased.counter_mj) {
    const auto now = Counter(std::chrono::seconds(0));
    seen.is_fresh = now && *now < *leased.counter_mj;
  }
  // An interrupted write may have left the knob at any value; a reloaded driver has put it at the default.
  seen.is_foreign = seen.is_fresh ? at != Normal(Setting::Default(knob)) : !leased.pending;
  return seen;
}

bool KnobWatch::IsThere(const LeasedKnob& leased, const KnobState& seen, const Setting& wanted) const {
  if (seen.at) return *seen.at == wanted || (*seen.at == leased.stands && leased.asked == wanted);
  // A boot unlocks clocks. A reloaded driver does too, but the counter is weak evidence: unlocking again does no harm.
  if (leased.boot != machine_->BootId()) return wanted.is_default;
  return !leased.pending && leased.asked == wanted && (!leased.is_reloaded || wanted.is_default);
}

}  // namespace heliostat::lease
