#include "heliostat/node/training_run/run_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/base/core/log.h"

namespace heliostat::training_run {
namespace {

// As often as drivers measure the use of processes. /proc is walked through only when other processes are on the cards.
constexpr std::chrono::milliseconds kBetweenLooks{200};

Joules SumOf(const std::vector<Joules>& parts) {
  Joules sum;
  for (const Joules part : parts) sum += part;
  return sum;
}

}  // namespace

RunMeter::RunMeter(std::vector<device::Gpu*> gpus, StepTracker tracker, Seconds grain, const Clock& clock, Say say)
    : gpus_(std::move(gpus)),
      tracker_(std::move(tracker)),
      grain_(grain),
      clock_(clock),
      say_(std::move(say)),
      meters_(gpus_.size()),
      shares_(gpus_.size()),
      is_share_told_(gpus_.size()),
      metered_(gpus_.size()),
      rate_(grain) {}

void RunMeter::Begin(Time now) {
  begun_ = now;
  now_.at = now;
  now_.wall = clock_.Now();
  ReportInstances();
  MeterEnergy(now, true);
  rose_ = stretch_begin_ = now_;
}

void RunMeter::MeterEnergy(Time now, bool is_last) {
  now_.energy.resize(meters_.size());
  now_.others.resize(meters_.size());
  // The share of the time that ends now.
  if (own_ && (now - looked_at_ >= kBetweenLooks || is_last)) LookAtProcesses(now);
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const auto sampled = meters_[i].Sample(*gpus_[i], now - begun_, is_last);
    const Joules used = meters_[i].energy() - std::exchange(metered_[i], meters_[i].energy());
    now_.energy[i] += shares_[i].own * used;
    now_.others[i] += (1.0 - shares_[i].own) * used;
    if (sampled || sampled.error().Line() == told_trouble_) continue;
    told_trouble_ = sampled.error().Line();
    say_(told_trouble_);
  }
}

void RunMeter::ReportInstances() {
  for (device::Gpu* gpu : gpus_) {
    const auto details = gpu->Inspect();
    if (!details || details->is_mig != true) continue;
    say_(fmt::format(
        "GPU {} is split into instances (MIG), which share one energy counter: its energy is that of the whole "
        "card, split equally by process",
        gpu->identity().index));
  }
}

void RunMeter::LookAtProcesses(Time now) {
  looked_at_ = now;
  std::vector<Result<std::vector<device::ProcessUse>>> all;
  std::set<pid_t> present;
  for (device::Gpu* gpu : gpus_) {
    all.push_back(gpu->Processes());
    if (!all.back()) continue;
    for (const device::ProcessUse& use : *all.back()) present.insert(use.pid);
  }
  if (std::exchange(present_, present) != present) own_now_ = own_();
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    // A driver that does not list processes: the card counts as this program's, as far as is known.
    shares_[i] = all[i] ? GpuShareOf(*all[i], own_now_, IsVisible) : GpuShare{};
    if (shares_[i].is_shared && !is_share_told_[i]) ReportShare(i, shares_[i]);
  }
}

void RunMeter::ReportShare(std::size_t gpu, const GpuShare& share) {
  is_share_told_[gpu] = true;
  say_(
      fmt::format("GPU {} is shared: other programs compute there too; its energy is split {}, and nothing is learned "
                  "meanwhile",
                  gpus_[gpu]->identity().index,
                  share.is_equal ? "equally by process, because the driver does not report their use"
                                 : "by the time in which each of them runs"));
}

bool RunMeter::is_shared() const {
  return std::ranges::any_of(shares_, [](const GpuShare& share) { return share.is_shared; });
}

void RunMeter::Sample(Time now, double duty, bool is_last) {
  const Seconds passed = now - now_.at;
  const Joules before = SumOf(now_.energy);
  now_.at = now;
  now_.wall = clock_.Now();
  MeterEnergy(now, is_last);
  tracker_.Poll(now, gpus_);
  ReportSource();
  SetAside(now, passed, SumOf(now_.energy) - before);
  if (tracker_.steps() > now_.steps) {
    now_.steps = tracker_.steps();
    rose_ = now_;
    if (!first_step_) first_step_ = now_;
  }
  if (tracker_.source() == ledger::ProgressSource::kNone || now < stretch_from_) return;
  rate_.Add({Seconds(now - begun_), now_.steps, SumOf(now_.energy), tracker_.is_aside()});
  WatchBusy(duty);
}

void RunMeter::ReportSource() {
  if (tracker_.source() == told_source_) return;
  told_source_ = tracker_.source();
  Log(LogLevel::kInfo, "progress is known from {}", tracker_.how());
  // Steps of another source have another unit: earlier measurements cannot be combined with them.
  rate_ = training_progress::StepRate(grain_);
  lull_ = training_progress::Lull();
}

void RunMeter::SetAside(Time now, Seconds passed, Joules used) {
  const Seconds at = now - begun_;
  if (tracker_.is_aside()) {
    now_.aside += passed;
    now_.aside_energy += used;
    lull_.Rest(at);
    return;
  }
  const Seconds lull = lull_.Add(at, tracker_.steps());
  if (lull <= Seconds(0)) return;
  const Seconds since = now - rose_.at;
  now_.aside += lull;
  now_.aside_energy += std::min(lull / since, 1.0) * (SumOf(now_.energy) - SumOf(rose_.energy));
}

double RunMeter::aside_share() const {
  if (!first_step_ || now_.at <= first_step_->at) return 0.0;
  return std::clamp((now_.aside - first_step_->aside) / Seconds(now_.at - first_step_->at), 0.0, 1.0);
}

void RunMeter::WatchBusy(double duty) {
  if (tracker_.is_aside()) return;
  double busy = 0.0;
  for (device::Gpu* gpu : gpus_) {
    const auto reading = gpu->Read();
    if (!reading || !reading->utilisation) return;
    busy += *reading->utilisation / static_cast<double>(gpus_.size());
  }
  busy_ += busy / std::max(duty, 0.01);
  ++busy_samples_;
}

void RunMeter::BeginStretch(double level, Time from) {
  level_ = level;
  stretch_from_ = from;
  stretch_begin_ = now_;
  rate_ = training_progress::StepRate(grain_);
  is_clean_ = true;
  busy_ = 0.0;
  busy_samples_ = 0;
}

std::optional<level_control::SteadySpell> RunMeter::TakeStretch() {
  const auto rate = rate_.Estimate();
  if (!rate) return std::nullopt;
  const int looks = rate->pieces - 1;
  const double noise = rate->standard_error / rate->steps_per_s * std::sqrt(rate->steps);
  const level_control::SteadySpell stretch{level_, rate->counted, rate->steps, rate->energy, is_clean_, noise, looks};
  if (busy_samples_ > 0 && !is_input_told_) {
    const auto input = training_progress::JudgeInput(*rate, busy_ / busy_samples_);
    is_input_told_ = input.is_input_bound;
    if (input.is_input_bound) {
      say_(
          fmt::format("the GPU works {:.0f} % of the time: the program waits for its input, so that lower levels cost "
                      "little time",
                      100.0 * input.busy_share));
    }
  }
  rate_.Restart();
  stretch_begin_ = now_;
  is_clean_ = true;
  return stretch;
}

level_control::SteadySpell RunMeter::TakeSpoiled() {
  const level_control::SteadySpell spoiled{level_, now_.at - stretch_begin_.at, now_.steps - stretch_begin_.steps,
                                           SumOf(now_.energy) - SumOf(stretch_begin_.energy), false};
  BeginStretch(level_, now_.at);
  return spoiled;
}

}  // namespace heliostat::training_run
