#include "heliostat/node/training_run/knob_actuator.h"

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/fault_point.h"
#include "heliostat/base/core/log.h"

namespace heliostat::training_run {
namespace {

using std::chrono::milliseconds;

// Leases end with this process; their expiry is for the case that its end is not noticed.
constexpr std::chrono::seconds kTtl = std::chrono::hours(24);
constexpr std::chrono::seconds kRenewAfter = std::chrono::hours(8);
constexpr milliseconds kIdle{200};

}  // namespace

LeaseActuator::LeaseActuator(Connect connect, std::vector<device::Gpu*> gpus, device::Knob knob, std::string job,
                             process::Program& program, const Clock& clock)
    : connect_(std::move(connect)),
      gpus_(std::move(gpus)),
      knob_(knob),
      job_(std::move(job)),
      program_(program),
      clock_(clock) {
  for (device::Gpu* gpu : gpus_) {
    if (const auto stands = gpu->Stands(knob)) bases_[gpu] = *stands;
  }
}

std::string LeaseActuator::how() const {
  return control_ != nullptr && control_->name() == "agent" ? "by the agent" : "directly";
}

Status LeaseActuator::Reconnect() {
  auto control = connect_();
  if (!control) return Propagate(control);
  control_ = std::move(*control);
  return {};
}

Status LeaseActuator::Take(const device::Setting& setting) {
  std::vector<std::pair<device::Gpu*, std::string>> taken;
  Status done;
  for (device::Gpu* gpu : gpus_) {
    const auto grant = control_->Take(*gpu, {setting, kTtl, gpu_access::kThisProcess, job_});
    if (!grant) {
      done = Propagate(grant);
      break;
    }
    taken.emplace_back(gpu, grant->lease.id);
  }
  // Old leases are released after the new ones are granted, so that a card never returns to its base between two
  // levels. On failure the new ones are released instead. A lease that does not exist any more is no failure.
  for (const auto& [gpu, id] : done ? held_ : taken) (void)control_->Release(*gpu, id);
  if (done) held_ = std::move(taken);
  return done;
}

Status LeaseActuator::ReleaseAll() {
  Status done;
  for (const auto& [gpu, id] : held_) {
    const auto released = control_->Release(*gpu, id);
    if (!released && released.error().code != ErrorCode::kNotFound) done = released;
  }
  if (done) held_.clear();
  return done;
}

Status LeaseActuator::Turn(const std::optional<device::Setting>& setting) {
  if (control_ == nullptr && !setting) return {};  // Nothing was ever taken.
  if (control_ == nullptr) {
    if (auto connected = Reconnect(); !connected) return connected;
  }
  // An agent notices the death of this process; without one a guard puts the card back.
  if (setting && control_->name() == "direct") program_.SetOwesCard(true);
  const auto turn = [&] { return setting ? Take(*setting) : ReleaseAll(); };
  FaultPoint("run-turning");
  auto done = turn();
  FaultPoint("run-turned");
  const bool is_gone =
      !done && (done.error().code == ErrorCode::kUnavailable || done.error().code == ErrorCode::kNotFound ||
                done.error().code == ErrorCode::kInternal);
  // The agent may have been restarted: its leases survive that, the connection does not.
  if (is_gone && Reconnect()) done = turn();
  if (!done) return done;
  if (!setting) program_.SetOwesCard(false);
  wanted_ = setting;
  taken_ = clock_.Steady();
  return done;
}

Status LeaseActuator::Turn(const level_control::Level& level, bool is_default) {
  if (is_default) return Turn(std::nullopt);
  if (level.knob == Knob::kPowerLimit) return Turn(device::Setting::PowerLimit(Watts{std::round(level.value)}));
  const auto& clocks = gpus_.front()->abilities().core_clocks_mhz;
  return Turn(device::Setting::Clock(Knob::kCoreClock, Megahertz(clocks.empty() ? level.value : clocks.front()),
                                     Megahertz(std::round(level.value))));
}

KnobActuator::Time LeaseActuator::Keep(Time now) {
  if (wanted_ && now - taken_ >= kRenewAfter) {
    // A failure is tried again at the next turn, or after the same time.
    if (!Turn(wanted_)) taken_ = now;
  }
  return now + kIdle;
}

bool LeaseActuator::IsThere() {
  return std::all_of(gpus_.begin(), gpus_.end(), [this](device::Gpu* gpu) {
    const auto base = bases_.find(gpu);
    if (base == bases_.end()) return true;  // Without a reading, the level is assumed to stand.
    const auto stands = gpu->Stands(knob_);
    return !stands || *stands == wanted_.value_or(base->second);
  });
}

void LeaseActuator::Release() {
  const auto released = Turn(std::nullopt);
  if (!released) Log(LogLevel::kWarning, "{}; the lease ends with this process", released.error().Line());
}

Status PaceActuator::Turn(const level_control::Level& level, bool is_default) {
  duty_ = is_default ? 1.0 : level.value;
  program_.SetDuty(duty_);
  return {};
}

KnobActuator::Time PaceActuator::Keep(Time now) { return now + kIdle; }

void PaceActuator::Release() {
  duty_ = 1.0;
  program_.SetDuty(duty_);
}

Status DryActuator::Turn(const level_control::Level& /*level*/, bool /*is_default*/) { return {}; }

KnobActuator::Time DryActuator::Keep(Time now) { return now + kIdle; }

}  // namespace heliostat::training_run
