#include "heliostat/live/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/core/clock.h"
#include "heliostat/core/log.h"
#include "heliostat/live/levels.h"

namespace heliostat::live {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSampling{100};
constexpr std::chrono::seconds kJumpCheck{5};
// A card and its power reading need a moment after a change before they tell of the new level.
constexpr std::chrono::seconds kSettling{3};
constexpr Duration kLongestAhead = std::chrono::days(7);

Joules SumOf(const std::vector<Joules>& parts) {
  Joules sum;
  for (const Joules part : parts) sum += part;
  return sum;
}

}  // namespace

Session::Session(Parts parts, chase::Controller controller, ledger::Writer writer, Tracker tracker)
    : parts_(std::move(parts)),
      controller_(std::move(controller)),
      writer_(std::move(writer)),
      tracker_(std::move(tracker)),
      meters_(parts_.gpus.size()),
      levels_(controller_.settings().levels),
      begun_(Steady::now()) {}

void Session::Follow(launch::Child& child) {
  begun_ = Steady::now();
  Sample(begun_, true);
  part_ = stretch_ = MarkAt(begun_);
  decide_at_ = begun_;
  while (!child.is_done()) {
    const Time now = Steady::now();
    const Time wake = std::min({parts_.hand->Keep(now, child), sample_at_, decide_at_});
    child.Poll(std::chrono::duration_cast<milliseconds>(
        std::clamp<Steady::duration>(wake - Steady::now(), milliseconds(0), kSampling)));
    Tick(Steady::now(), child);
  }
  const Time now = Steady::now();
  parts_.hand->LetGo(nullptr);
  Sample(now, true);
  ClosePart(now);
  CloseStretch(now);
}

void Session::Tick(Time now, launch::Child& /*child*/) {
  if (now < sample_at_ && now < decide_at_) return;
  Sample(now, false);
  sample_at_ = now + kSampling;
  if (!is_stretch_open_ && now >= settled_at_) {
    stretch_ = MarkAt(now);
    is_stretch_open_ = true;
    is_stretch_clean_ = true;
  }
  if (now >= decide_at_ || (now >= jump_at_ && IsJump())) return Decide(now);
  if (now - part_.at >= ledger::Writer::kLongestPart) ClosePart(now);
}

void Session::Sample(Time now, bool is_last) {
  Joules before;
  for (const auto& meter : meters_) before += meter.energy();
  const Seconds passed = now - (sample_at_ == Time{} ? begun_ : sample_at_ - kSampling);
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const auto sampled = meters_[i].Sample(*parts_.gpus[i], now - begun_, is_last);
    const std::string trouble = sampled ? "" : sampled.error().Line();
    if (!sampled && trouble != last_trouble_) Note(trouble);
    if (!sampled) last_trouble_ = trouble;
  }
  tracker_.Poll(now, parts_.gpus);
  if (tracker_.source() != last_source_) {
    last_source_ = tracker_.source();
    Log(LogLevel::kInfo, "progress is known from {}", tracker_.how());
  }
  if (!tracker_.is_aside()) return;
  Joules after;
  for (const auto& meter : meters_) after += meter.energy();
  aside_ += std::max(passed, Seconds{0});
  aside_energy_ += after - before;
  is_stretch_clean_ = false;
}

Session::Mark Session::MarkAt(Time now) const {
  Mark mark{now, SystemClock().Now(), {}, tracker_.steps(), aside_, aside_energy_};
  for (const auto& meter : meters_) mark.energy.push_back(meter.energy());
  return mark;
}

double Session::CostNow() const {
  const Instant now = SystemClock().Now();
  const double carbon = parts_.carbon->At(now).per_kwh;
  const double price = parts_.price == nullptr ? 0.0 : parts_.price->At(now).per_kwh;
  return chase::CostPerJoule(parts_.options->weights, GramsPerKwh(carbon), price / kJoulesPerKwh);
}

bool Session::IsJump() {
  jump_at_ = Steady::now() + kJumpCheck;
  return controller_.IsJump(CostNow());
}

std::vector<chase::Slot> Session::Ahead() const {
  const Instant now = SystemClock().Now();
  const Duration period = parts_.options->period;
  const auto count = static_cast<std::size_t>(std::clamp<Duration::rep>(kLongestAhead / period, 1, 400));
  const auto carbon = parts_.carbon->Ahead(now, period, count);
  const auto price =
      parts_.price == nullptr ? std::vector<double>(count, 0.0) : parts_.price->Ahead(now, period, count);
  std::vector<chase::Slot> slots;
  for (std::size_t i = 0; i < count; ++i) {
    slots.push_back({Seconds(period),
                     chase::CostPerJoule(parts_.options->weights, GramsPerKwh(carbon[i]), price[i] / kJoulesPerKwh)});
  }
  return slots;
}

chase::Situation Session::SituationAt(Time now) const {
  chase::Situation situation;
  situation.now = SystemClock().Now();
  situation.ahead = Ahead();
  situation.progress.elapsed = now - begun_;
  situation.progress.done = tracker_.steps();
  const auto total = parts_.options->total_steps ? parts_.options->total_steps : tracker_.total();
  if (total) situation.progress.left = std::max(*total - tracker_.steps(), 0.0);
  situation.stretches = stretches_;
  return situation;
}

void Session::Decide(Time now) {
  ClosePart(now);
  CloseStretch(now);
  const chase::Situation situation = SituationAt(now);
  stretches_.clear();
  const chase::Decision decision = controller_.Decide(situation);
  forecast_ = parts_.carbon->Ahead(situation.now, parts_.options->period, 1).front();
  Turn(decision);
  ++decisions_;
  decide_at_ = now + std::max<Duration>(decision.hold, Duration(1));
  jump_at_ = now + kJumpCheck;
}

void Session::Turn(const chase::Decision& decision) {
  const bool is_new = decisions_ == 0 || !(decision.level == decision_.level);
  decision_ = decision;
  if (!is_new) return;
  Log(LogLevel::kDebug, "{}: {}", decision.level.Text(), decision.why);
  settled_at_ = Steady::now() + kSettling;
  if (parts_.options->is_dry) return;
  const bool is_default = decision.level.value >= levels_.back();
  const auto turned = parts_.hand->Turn(decision.level, is_default);
  if (turned) return;
  // Training goes on at what the card does by itself; the next period tries again.
  if (turned.error().Line() != last_trouble_) Note("not turned: " + turned.error().Line());
  last_trouble_ = turned.error().Line();
  decision_.level.value = levels_.back();
  decision_.why = "the knob could not be turned; " + decision_.why;
}

void Session::CloseStretch(Time now) {
  if (!is_stretch_open_) return;
  is_stretch_open_ = false;
  const Mark end = MarkAt(now);
  chase::Stretch stretch{decision_.level.value, end.at - stretch_.at, end.steps - stretch_.steps,
                         SumOf(end.energy) - SumOf(stretch_.energy), is_stretch_clean_};
  if (stretch.duration > Seconds(0.5)) stretches_.push_back(stretch);
}

void Session::Predict(ledger::Period& period) const {
  const chase::SpeedProfile* const profile = controller_.profile();
  if (profile == nullptr) return;
  const auto prediction = [&](double level) -> std::optional<ledger::Prediction> {
    const auto at = profile->At(level);
    if (!at || at->speed <= 0.0) return std::nullopt;
    return ledger::Prediction{level, {at->power.value, at->power_error.value}, {at->speed, at->speed_error}};
  };
  period.at_default = prediction(levels_.back());
  const auto options = profile->Options();
  if (options.empty()) return;
  const auto best = std::min_element(options.begin(), options.end(), [](const auto& a, const auto& b) {
    return a.power.value / a.speed < b.power.value / b.speed;
  });
  period.at_optimum = prediction(best->level);
}

void Session::ClosePart(Time now) {
  const Mark end = MarkAt(now);
  if (end.at - part_.at < milliseconds(1)) return;
  ledger::Period period;
  period.start = part_.wall;
  period.end = end.wall;
  period.elapsed = end.at - part_.at;
  period.decision = std::max<std::int64_t>(decisions_ - 1, 0);
  period.level = decisions_ == 0 ? levels_.back() : decision_.level.value;
  period.is_probe = decision_.is_probe;
  period.why = decisions_ == 0 ? "starting" : decision_.why;
  period.forecast_g_per_kwh = forecast_;
  const SignalSource::Value carbon = parts_.carbon->At(part_.wall);
  period.carbon_g_per_kwh = carbon.per_kwh;
  period.freshness = carbon.freshness;
  period.signal_age = carbon.age;
  if (carbon.freshness != last_freshness_) {
    Note(fmt::format("{}: {}", parts_.carbon->name(), ledger::TextOf(carbon.freshness, carbon.age)));
    last_freshness_ = carbon.freshness;
  }
  if (parts_.price != nullptr) period.price_per_kwh = parts_.price->At(part_.wall).per_kwh;
  for (std::size_t i = 0; i < end.energy.size(); ++i)
    period.energy.push_back(std::max(end.energy[i] - part_.energy[i], Joules{0}));
  period.steps = end.steps - part_.steps;
  period.progress = tracker_.source();
  period.aside = std::min<Seconds>(end.aside - part_.aside, period.elapsed);
  period.aside_energy = std::min(end.aside_energy - part_.aside_energy, SumOf(period.energy));
  Predict(period);
  part_ = end;
  if (const auto written = writer_.Add(std::move(period)); !written)
    LogLine(LogLevel::kWarning, written.error().Line());
}

void Session::Note(std::string text) {
  LogLine(LogLevel::kWarning, text);
  (void)writer_.Add(ledger::Note{SystemClock().Now(), std::move(text)});  // Told already.
}

}  // namespace heliostat::live
