#include "heliostat/live/hand.h"

#include <unistd.h>

#include <cmath>

#include "heliostat/core/log.h"

namespace heliostat::live {
namespace {

using std::chrono::milliseconds;

// Longer than any period between two decisions; the lease ends with this process anyway.
constexpr std::chrono::seconds kTtl = std::chrono::hours(24);
constexpr milliseconds kCycle{1000};
constexpr milliseconds kIdle{200};

}  // namespace

Result<std::unique_ptr<Hand>> LeaseHand::Make(const Environment& environment, const console::Gpus& all,
                                              std::vector<device::Gpu*> gpus, std::string job) {
  std::unique_ptr<LeaseHand> hand(new LeaseHand(environment, all, std::move(gpus), std::move(job)));
  if (const auto connected = hand->Connect(); !connected) return Propagate(connected);
  return hand;
}

std::string LeaseHand::how() const { return control_->name() == "agent" ? "by the agent" : "directly"; }

Status LeaseHand::Connect() {
  auto control = console::OpenControl(environment_, all_);
  if (!control) return Propagate(control);
  control_ = std::move(*control);
  return {};
}

Status LeaseHand::Take(const device::Setting& setting) {
  std::vector<std::pair<device::Gpu*, std::string>> taken;
  Status failure;
  for (device::Gpu* gpu : gpus_) {
    const auto grant = control_->Take(*gpu, {setting, kTtl, ::getpid(), job_});
    if (!grant) {
      failure = Propagate(grant);
      break;
    }
    const io::Json* const lease = grant->Find("lease");
    const io::Json* const id = lease == nullptr ? nullptr : lease->Find("id");
    taken.emplace_back(gpu, id == nullptr ? "" : id->Text().value_or(""));
  }
  // The old ones go when the new ones stand, so that a card never stands open between two levels; on failure the new
  // ones go instead.
  for (const auto& [gpu, id] : failure ? held_ : taken) (void)control_->Release(*gpu, id);
  if (failure) held_ = std::move(taken);
  return failure;
}

Status LeaseHand::Turn(const chase::Level& level, bool is_default) {
  if (is_default) {
    Status failure;
    for (const auto& [gpu, id] : held_) {
      const auto released = control_->Release(*gpu, id);
      if (!released && released.error().code != ErrorCode::kNotFound) failure = released;
    }
    if (failure) held_.clear();
    return failure;
  }
  const device::Setting setting =
      level.knob == chase::Knob::kPowerLimit
          ? device::Setting::PowerLimit(Watts{std::round(level.value)})
          : device::Setting::Clock(device::Knob::kCoreClock,
                                   Megahertz(gpus_.front()->abilities().core_clocks_mhz.empty()
                                                 ? level.value
                                                 : gpus_.front()->abilities().core_clocks_mhz.front()),
                                   Megahertz(std::round(level.value)));
  auto taken = Take(setting);
  const bool is_gone =
      !taken && (taken.error().code == ErrorCode::kUnavailable || taken.error().code == ErrorCode::kNotFound ||
                 taken.error().code == ErrorCode::kInternal);
  if (!is_gone) return taken;
  // The agent may have been started anew: its leases live on, the connection does not.
  if (const auto connected = Connect(); !connected) return taken;
  return Take(setting);
}

Hand::Time LeaseHand::Keep(Time now, launch::Child& /*child*/) { return now + kIdle; }

void LeaseHand::LetGo(launch::Child* /*child*/) {
  for (const auto& [gpu, id] : held_) {
    const auto released = control_->Release(*gpu, id);
    if (!released && released.error().code != ErrorCode::kNotFound) {
      Log(LogLevel::kWarning, "{}; the lease ends with this process", released.error().Line());
    }
  }
  held_.clear();
}

Status PaceHand::Turn(const chase::Level& level, bool is_default) {
  duty_ = is_default ? 1.0 : level.value;
  return {};
}

Hand::Time PaceHand::Keep(Time now, launch::Child& child) {
  if (duty_ >= 1.0) {
    if (child.is_held()) child.Release();
    return now + kIdle;
  }
  if (now - begun_ >= kCycle) begun_ = now - begun_ < 2 * kCycle ? begun_ + kCycle : now;
  const auto run = std::chrono::duration_cast<Time::duration>(kCycle * duty_);
  const bool should_run = now - begun_ < run;
  if (should_run && child.is_held()) child.Release();
  if (!should_run && !child.is_held()) child.Hold();
  return should_run ? begun_ + run : begun_ + kCycle;
}

void PaceHand::LetGo(launch::Child* child) {
  duty_ = 1.0;
  if (child != nullptr && child->is_held()) child->Release();
}

}  // namespace heliostat::live
