#include "heliostat/node/training_run/host_session.h"

#include <utility>

#include "heliostat/base/core/log.h"

namespace heliostat::training_run {
namespace {

constexpr std::chrono::milliseconds kSampling{500};
constexpr std::chrono::seconds kBetweenQuestions{10};

}  // namespace

HostSession::HostSession(live_signal::SignalSource& carbon, live_signal::SignalSource* price, StepTracker& tracker,
                         ledger::Writer& writer, Result<device::HostEnergy> energy, const Clock& clock)
    : carbon_(carbon), price_(price), tracker_(tracker), writer_(writer), energy_(std::move(energy)), clock_(clock) {}

void HostSession::Follow(process::Program& program, const std::function<bool()>& should_end) {
  part_at_ = clock_.Steady();
  part_wall_ = clock_.Now();
  Clock::Time ask_at = part_at_ + kBetweenQuestions;
  bool is_over = false;
  while (!is_over) {
    is_over = program.is_done();
    if (!is_over) program.Wait(kSampling);
    tracker_.Observe(program.TakeOutput());
    const Clock::Time now = clock_.Steady();
    tracker_.Poll(now, {});
    if (energy_) energy_->Sample();
    if (is_over || now - part_at_ >= ledger::Writer::kLongestPart) ClosePart();
    if (is_over || now < ask_at) continue;
    ask_at = now + kBetweenQuestions;
    if (!should_end()) continue;
    ClosePart();
    return;
  }
}

void HostSession::ClosePart() {
  const Clock::Time now = clock_.Steady();
  ledger::Period period;
  period.elapsed = now - part_at_;
  if (period.elapsed.count() <= 0.0) return;
  period.start = part_wall_;
  period.end = part_wall_ + std::chrono::round<Duration>(period.elapsed);
  period.why = "no GPU";
  if (carbon_.is_known()) {
    const live_signal::SignalSource::Value carbon = carbon_.At(part_wall_);
    period.carbon_g_per_kwh = carbon.number;
    period.freshness = carbon.freshness;
    period.signal_age = carbon.age;
  }
  if (price_ != nullptr && price_->is_known()) period.price_per_kwh = price_->At(part_wall_).number;
  if (energy_) period.host_energy = energy_->energy() - std::exchange(part_energy_, energy_->energy());
  period.steps = tracker_.steps() - std::exchange(part_steps_, tracker_.steps());
  period.progress = tracker_.source();
  part_at_ = now;
  part_wall_ = period.end;
  if (const auto written = writer_.Add(std::move(period)); !written) {
    LogLine(LogLevel::kWarning, written.error().Line());
  }
}

}  // namespace heliostat::training_run
