#include "heliostat/node/training_run/training_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heliostat/base/core/log.h"

namespace heliostat::training_run {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSampling{100};
constexpr std::chrono::seconds kJumpCheck{5};
constexpr std::chrono::seconds kHandCheck{1};
constexpr std::chrono::seconds kSignalCheck{1};
// The wall clock was set when it moves this much more or less than the steady one.
constexpr Duration kClockStep{2};
// A card and its power reading need some time after a change to show the new level.
constexpr std::chrono::seconds kSettling{3};
// A level without a measurement for this long gives none: the program does not report its progress.
constexpr std::chrono::seconds kLongestWait{600};
constexpr Duration kLongestAhead = std::chrono::days(7);
// Share of others in a card's energy below which the card counts as this program's alone.
constexpr double kOfNoAccount = 0.01;
// Grain of StepRate: the shortest try has several pieces. Pieces of a paced program span several seconds.
constexpr Seconds kLongestGrain{2.0};
constexpr Seconds kPacedGrain{4.0};
constexpr double kPiecesInATry = 3.0;

Seconds GrainFor(const level_control::Settings& settings) {
  if (settings.knob == Knob::kPace) return kPacedGrain;
  return std::min(kLongestGrain, Seconds(settings.probing.shortest) / kPiecesInATry);
}

}  // namespace

TrainingSession::TrainingSession(Parts parts, level_control::Controller controller, ledger::Writer writer,
                                 StepTracker tracker)
    : parts_(std::move(parts)),
      controller_(std::move(controller)),
      writer_(std::move(writer)),
      meter_(parts_.gpus, std::move(tracker), GrainFor(controller_.settings()), *parts_.clock,
             [this](std::string text) { Note(std::move(text)); }),
      levels_(controller_.settings().levels),
      begun_(parts_.clock->Steady()) {
  meter_.SetOwnProcesses(parts_.own_processes);
}

void TrainingSession::Follow(process::Program& program) {
  begun_ = parts_.clock->Steady();
  meter_.Begin(begun_);
  meter_.BeginStretch(levels_.back(), begun_);
  part_ = meter_.now();
  decide_at_ = begun_;
  while (!program.is_done()) {
    const Time now = parts_.clock->Steady();
    const Time wake = std::min({parts_.actuator->Keep(now), sample_at_, decide_at_});
    program.Wait(std::chrono::ceil<milliseconds>(
        std::clamp<Time::duration>(wake - parts_.clock->Steady(), milliseconds(0), kSampling)));
    meter_.Observe(program.TakeOutput());
    Tick(parts_.clock->Steady());
  }
  meter_.Observe(program.TakeOutput());
  parts_.actuator->Release();
  const Time now = parts_.clock->Steady();
  meter_.Sample(now, parts_.actuator->duty(), true);
  CloseStretch(now);
  controller_.Learn(stretches_);
  ClosePart();
}

void TrainingSession::Tick(Time now) {
  if (now < sample_at_ && now < decide_at_) return;
  meter_.Sample(now, parts_.actuator->duty());
  if (meter_.is_shared()) meter_.Spoil();
  sample_at_ = now + kSampling;
  if (now >= look_at_) WatchActuator(now);
  if (now >= decide_at_ && !KnowsSignals()) decide_at_ = now + kSignalCheck;
  if (now >= decide_at_ || (has_signals_ && now >= jump_at_ && IsJump(now))) return Decide(now);
  if (now - part_.at >= ledger::Writer::kLongestPart) ClosePart();
}

void TrainingSession::WatchActuator(Time now) {
  look_at_ = now + kHandCheck;
  if (now - turned_at_ < kSettling) return;
  // After a failed turn the actuator still holds the former level.
  const bool is_turned = !is_refused_ && parts_.actuator->IsThere();
  if (!is_turned) meter_.Spoil();
  if (is_turned_ && !is_turned) {
    Note(fmt::format("the card does not stand at {}: another program has set it, or it could not be put back",
                     decision_.level.Text()));
  }
  is_turned_ = is_turned;
}

double TrainingSession::CostNow() const {
  const Instant now = parts_.clock->Now();
  const double carbon = parts_.carbon->At(now).number;
  const double price = parts_.price == nullptr ? 0.0 : parts_.price->At(now).number;
  return level_control::CostPerJoule(parts_.options->weights, GramsPerKwh(carbon), price / kJoulesPerKwh);
}

double TrainingSession::HighestCost() const {
  const Instant now = parts_.clock->Now();
  const double carbon = parts_.carbon->HighestOfDay(now);
  const double price = parts_.price == nullptr ? 0.0 : parts_.price->HighestOfDay(now);
  return level_control::CostPerJoule(parts_.options->weights, GramsPerKwh(carbon), price / kJoulesPerKwh);
}

// True from the moment on when every signal has a value.
bool TrainingSession::KnowsSignals() {
  if (has_signals_) return true;
  if (parts_.options->only_measures) return false;
  has_signals_ = parts_.carbon->is_known() && (parts_.price == nullptr || parts_.price->is_known());
  if (has_signals_) {
    controller_.SetHighestCost(HighestCost());
    if (is_ignorance_told_) Note(fmt::format("{}: is known now", parts_.carbon->name()));
  } else if (!std::exchange(is_ignorance_told_, true)) {
    Note(fmt::format("{}: no value is known yet; the program runs at its default", parts_.carbon->name()));
  }
  return has_signals_;
}

bool TrainingSession::IsJump(Time now) {
  jump_at_ = now + kJumpCheck;
  return controller_.IsJump(CostNow());
}

std::vector<level_control::Slot> TrainingSession::Ahead() const {
  const Instant now = parts_.clock->Now();
  const Duration period = parts_.options->period;
  const auto count = static_cast<std::size_t>(std::clamp<Duration::rep>(kLongestAhead / period, 1, 400));
  const auto carbon = parts_.carbon->Ahead(now, period, count);
  const auto price =
      parts_.price == nullptr ? std::vector<double>(count, 0.0) : parts_.price->Ahead(now, period, count);
  std::vector<level_control::Slot> slots;
  for (std::size_t i = 0; i < count; ++i) {
    slots.push_back({Seconds(period), level_control::CostPerJoule(parts_.options->weights, GramsPerKwh(carbon[i]),
                                                                  price[i] / kJoulesPerKwh)});
  }
  return slots;
}

level_control::Situation TrainingSession::SituationAt(Time now) const {
  level_control::Situation situation;
  situation.now = parts_.clock->Now();
  situation.ahead = Ahead();
  // Start-up, evaluation and lulls take the same time at every level, so they do not count in the slowdown.
  situation.progress.elapsed = std::max(Seconds(now - begun_) - meter_.now().aside, Seconds(0));
  situation.progress.aside_share = meter_.aside_share();
  situation.progress.done = meter_.now().steps;
  const auto total = parts_.options->total_steps ? parts_.options->total_steps : meter_.tracker().total();
  if (total) situation.progress.left = std::max(*total - meter_.now().steps, 0.0);
  situation.stretches = stretches_;
  situation.present = CostNow();
  return situation;
}

void TrainingSession::Decide(Time now) {
  CloseStretch(now);
  ClosePart();
  const level_control::Situation situation = SituationAt(now);
  stretches_.clear();
  const level_control::LevelDecision decision = controller_.Decide(situation);
  ReportDrift();
  forecast_ = parts_.carbon->Ahead(situation.now, parts_.options->period, 1).front();
  Turn(now, decision);
  ++decisions_;
  // The time of a try starts when the card has settled.
  const bool is_settling = decision.is_probe && turned_at_ == now;
  decide_at_ = now + std::max<Duration>(decision.hold, Duration(1)) + (is_settling ? kSettling : Duration(0));
  jump_at_ = now + kJumpCheck;
}

void TrainingSession::ReportDrift() {
  const int drifts = controller_.profile() == nullptr ? 0 : controller_.profile()->drifts();
  if (drifts != std::exchange(drifts_, drifts)) {
    Note("the program's speed has left its profile for good: the profile is dropped and learned again");
  }
}

void TrainingSession::Turn(Time now, level_control::LevelDecision decision) {
  if (parts_.options->is_dry) {
    decision.why = fmt::format("shadow, not turned to {}: {}", decision.level.Text(), decision.why);
    shadow_level_ = decision.level.value;
    decision.is_probe = false;  // nothing is tried
    decision.level.value = levels_.back();
  }
  const bool is_new = decisions_ == 0 || !(decision.level == decision_.level);
  decision_ = decision;
  if (!is_new && is_turned_) return;
  Log(LogLevel::kDebug, "{}: {}", decision.level.Text(), decision.why);
  turned_at_ = now;
  meter_.BeginStretch(decision.level.value, now + kSettling);
  const bool is_default = decision.level.value >= levels_.back();
  const auto turned = parts_.actuator->Turn(decision.level, is_default);
  is_refused_ = !turned;
  is_turned_ = turned.has_value();
  if (turned) return;
  // Training goes on at the card's present setting; the next period tries again.
  if (turned.error().Line() != last_trouble_) Note(std::string(ledger::kNotTurned) + turned.error().Line());
  last_trouble_ = turned.error().Line();
  decision_.level.value = levels_.back();
  decision_.why = std::string(ledger::kKnobRefused) + decision_.why;
}

void TrainingSession::CloseStretch(Time now) {
  if (!is_turned_) meter_.Spoil();
  if (const auto stretch = meter_.TakeStretch()) {
    stretches_.push_back(*stretch);
  } else if (decision_.is_probe && decision_.level.value < levels_.back() && now - turned_at_ >= kLongestWait) {
    stretches_.push_back(meter_.TakeSpoiled());
    turned_at_ = now;
  }
}

void TrainingSession::Predict(ledger::Period& period) const {
  const level_control::SpeedProfile* const profile = controller_.profile();
  if (profile == nullptr) return;
  const auto prediction = [&](double level) -> std::optional<ledger::LevelPrediction> {
    const auto at = profile->At(level);
    if (!at || at->speed <= 0.0) return std::nullopt;
    return ledger::LevelPrediction{level, {at->power.value, at->power_error.value}, {at->speed, at->speed_error}};
  };
  // What a card does that other programs use too says nothing about this program at another level.
  if (period.others_energy().value > kOfNoAccount * period.total_energy().value) return;
  period.at_default = prediction(levels_.back());
  if (shadow_level_) period.at_shadow = prediction(*shadow_level_);
  const auto options = profile->Options();
  if (options.empty()) return;
  const auto best = std::min_element(options.begin(), options.end(), [](const auto& a, const auto& b) {
    return a.power.value / a.speed < b.power.value / b.speed;
  });
  period.at_optimum = prediction(best->level);
}

void TrainingSession::ClosePart() {
  const RunMeter::Mark& end = meter_.now();
  if (end.at - part_.at < milliseconds(1)) return;
  ledger::Period period;
  period.start = part_.wall;
  period.end = end.wall;
  period.elapsed = end.at - part_.at;
  const Duration passed = std::chrono::round<Duration>(period.elapsed);
  if (const Duration step = end.wall - part_.wall - passed; std::chrono::abs(step) > kClockStep) {
    // Energy and time go by the steady clock; the next part starts at the new time.
    period.end = period.start + passed;
    Note(fmt::format("the clock was set {} by {} s", step > Duration{0} ? "forward" : "back",
                     std::chrono::abs(step).count()));
  }
  period.decision = std::max<std::int64_t>(decisions_ - 1, 0);
  period.level = decisions_ == 0 ? levels_.back() : decision_.level.value;
  period.is_probe = decision_.is_probe;
  period.why = decisions_ > 0 ? decision_.why : parts_.options->only_measures ? "measured only" : "starting";
  period.forecast_g_per_kwh = forecast_;
  if (has_signals_) {
    const live_signal::SignalSource::Value carbon = parts_.carbon->At(part_.wall);
    period.carbon_g_per_kwh = carbon.number;
    period.freshness = carbon.freshness;
    period.signal_age = carbon.age;
    ReportFreshness(carbon);
  }
  if (has_signals_ && parts_.price != nullptr) period.price_per_kwh = parts_.price->At(part_.wall).number;
  for (std::size_t i = 0; i < end.energy.size(); ++i)
    period.energy.push_back(std::max(end.energy[i] - part_.energy[i], Joules{0}));
  for (std::size_t i = 0; i < end.others.size(); ++i) {
    period.others.push_back(std::max(end.others[i] - part_.others[i], Joules{0}));
  }
  if (period.others_energy().value <= 0.0) period.others.clear();
  period.steps = end.steps - part_.steps;
  period.progress = meter_.tracker().source();
  period.aside = std::min<Seconds>(end.aside - part_.aside, period.elapsed);
  period.aside_energy = std::min(end.aside_energy - part_.aside_energy, period.total_energy());
  Predict(period);
  part_ = end;
  if (const auto written = writer_.Add(std::move(period)); !written)
    LogLine(LogLevel::kWarning, written.error().Line());
}

// Measured values, and forecasts until the measurement is published, both count as fresh.
void TrainingSession::ReportFreshness(const live_signal::SignalSource::Value& value) {
  const auto told = value.freshness == signal::Freshness::kForecast ? signal::Freshness::kMeasured : value.freshness;
  if (told == std::exchange(told_freshness_, told)) return;
  const bool is_back = told == signal::Freshness::kMeasured;
  Note(fmt::format("{}: {}", parts_.carbon->name(), is_back ? "is back" : ledger::TextOf(told, value.age)));
}

void TrainingSession::Note(std::string text) {
  LogLine(LogLevel::kWarning, text);
  (void)writer_.Add(ledger::Note{parts_.clock->Now(), std::move(text)});  // The message is logged already.
}

}  // namespace heliostat::training_run
