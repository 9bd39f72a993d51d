#include "heliostat/node/training_run/level_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/log.h"

namespace heliostat::training_run {
namespace {

using level_control::SteadySpell;
using std::chrono::milliseconds;

constexpr milliseconds kSampling{100};
// A card and its power reading need some time after a change to show the new level.
constexpr Duration kSettling{3};
constexpr std::chrono::seconds kHandCheck{1};
// A visit has at least this many pieces of StepRate, and is prolonged up to this many times when steps are long.
constexpr int kPieces = 4;
constexpr int kLongestVisit = 3;
constexpr int kMostRounds = 4;
constexpr int kFewestVisits = 2;
// The counters and clocks themselves: no speed is known better.
constexpr double kLeastError = 0.001;
// Steps are seen up to one sample late, at the begin and the end of a visit: the standard error of its length.
const double kTimingError = Seconds(kSampling).count() * std::sqrt(2.0 / 12.0);
// Fewer comparisons of visits to the same level say little about their spread.
constexpr int kFewestComparisons = 3;

// Half the width of a 95 % interval, in standard errors that come from `looks` + 1 measurements: Student's t, by its
// expansion around the normal distribution.
double BarFrom(double looks) {
  const double by = 1.0 / std::max(looks, 1.0);
  return 1.96 + by * (2.372 + by * (2.823 + by * 2.556));
}

Duration ShortestVisit(Knob knob) {
  return kSettling + std::chrono::ceil<Duration>(kPieces * LevelSurvey::Grain(knob));
}

double SpeedOf(const std::vector<SteadySpell>& spells) {
  double steps = 0.0;
  double seconds = 0.0;
  for (const SteadySpell& spell : spells) {
    steps += spell.steps;
    seconds += spell.duration.count();
  }
  return steps / seconds;
}

}  // namespace

std::optional<double> LevelTally::BetweenVisits() const {
  double squares = 0.0;
  int comparisons = 0;
  for (const auto& [level, spells] : spells_) {
    const double mean = SpeedOf(spells);
    for (const SteadySpell& spell : spells) {
      const double off = spell.steps / spell.duration.count() / mean - 1.0;
      squares += off * off;
    }
    comparisons += static_cast<int>(spells.size()) - 1;
  }
  if (comparisons < kFewestComparisons) return std::nullopt;
  const double bar = BarFrom(comparisons);
  return bar * bar * squares / comparisons;
}

double LevelTally::NoiseOfStep() const {
  double squares = 0.0;
  double looks = 0.0;
  for (const auto& [level, spells] : spells_) {
    for (const SteadySpell& spell : spells) {
      squares += spell.noise_looks * spell.step_noise * spell.step_noise;
      looks += spell.noise_looks;
    }
  }
  return BarFrom(looks) * std::sqrt(squares / std::max(looks, 1.0));
}

std::optional<MeasuredLevel> LevelTally::At(double level) const {
  const auto found = spells_.find(level);
  if (found == spells_.end()) return std::nullopt;
  MeasuredLevel measured{.level = level, .visits = static_cast<int>(found->second.size())};
  double steps = 0.0;
  Joules energy;
  for (const SteadySpell& spell : found->second) {
    measured.duration += spell.duration;
    steps += spell.steps;
    energy += spell.energy;
  }
  measured.steps_per_s = steps / measured.duration.count();
  measured.power = energy / measured.duration;
  // The spread within visits does not show a drift; that among visits does.
  const double within = NoiseOfStep() / std::sqrt(steps);
  const double between = std::sqrt(BetweenVisits().value_or(0.0) / measured.visits);
  const double timing = 2.0 * kTimingError * std::sqrt(measured.visits) / measured.duration.count();
  measured.error = std::max({within, between, timing, kLeastError});
  return measured;
}

std::vector<MeasuredLevel> LevelTally::All() const {
  std::vector<MeasuredLevel> all;
  for (const auto& [level, spells] : spells_) all.push_back(*At(level));
  return all;
}

Seconds LevelSurvey::Grain(Knob knob) { return Seconds(knob == Knob::kPace ? 4.0 : 1.0); }

Duration LevelSurvey::LeastTime(Knob knob, std::size_t levels) {
  return ShortestVisit(knob) * static_cast<Duration::rep>(levels);
}

LevelSurvey::LevelSurvey(Plan plan, Told told)
    : plan_(std::move(plan)), told_(std::move(told)), random_(RandomStream(plan_.seed).Split("level survey")) {
  Check(!plan_.levels.empty() && std::ranges::is_sorted(plan_.levels), "levels ascend");
  Schedule();
}

void LevelSurvey::MeasureDefaultOnly() {
  plan_.time /= static_cast<Duration::rep>(plan_.levels.size());
  plan_.levels = {plan_.levels.back()};
  Schedule();
}

void LevelSurvey::Schedule() {
  const auto levels = static_cast<Duration::rep>(plan_.levels.size());
  const Duration::rep fit = plan_.time / (ShortestVisit(plan_.knob) * levels);
  rounds_ = static_cast<int>(std::clamp<Duration::rep>(fit, 1, kMostRounds));
  visit_ = std::max(ShortestVisit(plan_.knob), plan_.time / (levels * rounds_));
  BeginRound();
}

void LevelSurvey::BeginRound() {
  queue_.clear();
  for (const double level : plan_.levels) {
    const auto known = tally_.At(level);
    if (!known || known->visits < kFewestVisits || known->error > plan_.wanted_error) queue_.push_back(level);
  }
  for (std::size_t i = queue_.size(); i > 1; --i) std::swap(queue_[i - 1], queue_[random_.Below(i)]);
  if (round_ > 0) return;
  // The default first: it needs no right, and a program that ends early is then known at it.
  std::erase(queue_, plan_.levels.back());
  queue_.push_back(plan_.levels.back());
}

Duration LevelSurvey::left() const {
  const auto visits = static_cast<Duration::rep>(queue_.size()) +
                      static_cast<Duration::rep>(plan_.levels.size()) * std::max(rounds_ - round_ - 1, 0);
  return is_complete() ? Duration(0) : visit_ * visits;
}

std::vector<double> LevelSurvey::missing() const {
  std::vector<double> missing;
  std::ranges::copy_if(plan_.levels, std::back_inserter(missing),
                       [this](double level) { return !tally_.At(level).has_value(); });
  return missing;
}

void LevelSurvey::Pass(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock) {
  (void)actuator.Keep(clock.Steady());
  program.Wait(kSampling);
  meter.Observe(program.TakeOutput());
  meter.Sample(clock.Steady(), actuator.duty());
}

// Steps of another source have another unit: what was measured before cannot be combined with them.
bool LevelSurvey::NoteSource(const RunMeter& meter) {
  const ledger::ProgressSource now = meter.tracker().source();
  if (now == source_) return false;
  const bool had_another = source_ != ledger::ProgressSource::kNone && now != ledger::ProgressSource::kNone;
  if (now != ledger::ProgressSource::kNone) source_ = now;
  if (!had_another) return false;
  if (!tally_.empty())
    LogLine(LogLevel::kWarning, "progress is counted in another way now: measured again from the start");
  tally_.Clear();
  round_ = 0;
  BeginRound();
  return true;
}

bool LevelSurvey::AwaitSteps(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock) {
  while (!program.is_done() && meter.tracker().source() == ledger::ProgressSource::kNone) {
    Pass(program, meter, actuator, clock);
  }
  (void)NoteSource(meter);
  return !program.is_done();
}

LevelSurvey::Visit LevelSurvey::VisitLevel(double level, process::Program& program, RunMeter& meter,
                                           KnobActuator& actuator, const Clock& clock) {
  const bool is_default = level >= plan_.levels.back();
  const level_control::Level wanted{plan_.knob, level};
  const Time begun = clock.Steady();
  meter.BeginStretch(level, begun + kSettling);
  if (const auto turned = actuator.Turn(wanted, is_default); !turned) {
    Log(LogLevel::kWarning, "{} cannot be set: {}", wanted.Text(), turned.error().Line());
    return Visit::kOver;
  }
  Time looked = begun + kSettling;
  bool is_there = true;
  while (clock.Steady() < begun + kLongestVisit * visit_) {
    if (program.is_done()) {
      if (is_there) (void)Take(meter);
      return Visit::kProgramDone;
    }
    Pass(program, meter, actuator, clock);
    if (NoteSource(meter)) return Visit::kBegunAnew;
    const Time now = clock.Steady();
    if (now >= looked + kHandCheck) {
      looked = now;
      is_there = is_there && actuator.IsThere();
    }
    if (now < begun + visit_) continue;
    if (!is_there) break;
    if (Take(meter)) return Visit::kOver;  // Otherwise steps are long, and the visit goes on.
  }
  Log(LogLevel::kWarning, "{}: no measurement: {}", wanted.Text(),
      is_there ? "the program made no progress" : "another program has set the GPU meanwhile");
  return Visit::kOver;
}

bool LevelSurvey::Take(RunMeter& meter) {
  const auto spell = meter.TakeStretch();
  if (!spell || spell->steps <= 0.0 || spell->duration <= Seconds(0)) return false;
  tally_.Add(*spell);
  if (told_) told_(*this, *tally_.At(spell->level));
  return true;
}

void LevelSurvey::Follow(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock) {
  meter.Begin(clock.Steady());
  meter.BeginStretch(plan_.levels.back(), clock.Steady());
  bool goes_on = AwaitSteps(program, meter, actuator, clock);
  while (goes_on && !is_complete()) {
    if (queue_.empty()) {
      ++round_;
      BeginRound();
      if (queue_.empty()) round_ = rounds_;  // All levels are known well enough.
      continue;
    }
    const double level = queue_.back();
    queue_.pop_back();
    goes_on = VisitLevel(level, program, meter, actuator, clock) != Visit::kProgramDone;
    if (!goes_on) queue_.push_back(level);  // The next program visits it anew.
  }
  actuator.Release();
}

}  // namespace heliostat::training_run
