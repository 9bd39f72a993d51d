#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/node/level_control/speed_profile.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/training_run/knob_actuator.h"
#include "heliostat/node/training_run/run_meter.h"

namespace heliostat::training_run {

// Speed and power of a program at one level.
struct MeasuredLevel {
  double level = 0.0;
  double steps_per_s = 0.0;
  double error = 0.0;  // half the width of the 95 % interval of the speed, as a share of it
  Watts power{};       // of all GPUs together
  Seconds duration{};  // of the measurement, without the time to settle
  int visits = 0;
};

// Speeds and powers from spells at several levels. Not thread-safe.
class LevelTally {
 public:
  void Add(const level_control::SteadySpell& spell) { spells_[spell.level].push_back(spell); }
  void Clear() { spells_.clear(); }
  bool empty() const { return spells_.empty(); }
  // Absent without a spell at this level.
  std::optional<MeasuredLevel> At(double level) const;
  // Of all levels with a spell, ascending.
  std::vector<MeasuredLevel> All() const;

 private:
  // Half the width of 95 % intervals, from all levels together: one level alone has few measurements. Both are relative
  // to the speed: of one visit, squared (absent when too few levels were visited twice), and of one step.
  std::optional<double> BetweenVisits() const;
  double NoiseOfStep() const;

  std::map<double, std::vector<level_control::SteadySpell>> spells_;
};

// Measures a program at each level of a knob. All levels are visited in rounds, each round in another random order, so
// that a drift of the program or the card spreads over all levels instead of bending the curve. A level that is known
// well enough after two visits is left out of later rounds. Not thread-safe.
class LevelSurvey {
 public:
  struct Plan {
    Knob knob = Knob::kPowerLimit;
    std::vector<double> levels;   // ascending; the last is the default
    Duration time{300};           // of all visits
    double wanted_error = 0.005;  // as MeasuredLevel::error
    std::uint64_t seed = 1;
  };
  // Called after each visit with a measurement.
  using Told = std::function<void(const LevelSurvey& survey, const MeasuredLevel& level)>;

  // The least `Plan::time` for this many levels.
  static Duration LeastTime(Knob knob, std::size_t levels);
  // The `grain` of the RunMeter that Follow() gets.
  static Seconds Grain(Knob knob);

  LevelSurvey(Plan plan, Told told);

  // For a knob that cannot be turned. Before the first Follow().
  void MeasureDefaultOnly();
  // Visits levels until all are known or the program is done; goes on where an earlier program has ended. The knob is
  // put back before it returns. `meter` must be new; Begin() is called here.
  void Follow(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock);

  bool is_complete() const { return round_ >= rounds_; }
  const Plan& plan() const { return plan_; }
  const LevelTally& tally() const { return tally_; }
  // Levels without a measurement, ascending.
  std::vector<double> missing() const;
  // Time that the remaining visits take.
  Duration left() const;
  // Where the count of steps comes from.
  ledger::ProgressSource source() const { return source_; }

 private:
  using Time = Clock::Time;
  enum class Visit { kOver, kProgramDone, kBegunAnew };

  void Schedule();
  void BeginRound();
  Visit VisitLevel(double level, process::Program& program, RunMeter& meter, KnobActuator& actuator,
                   const Clock& clock);
  // Waits for the program's first steps. False when it is done before.
  bool AwaitSteps(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock);
  // Counts the measurement so far. False while there is too little of it.
  bool Take(RunMeter& meter);
  void Pass(process::Program& program, RunMeter& meter, KnobActuator& actuator, const Clock& clock);
  bool NoteSource(const RunMeter& meter);

  Plan plan_;
  Told told_;
  RandomStream random_;
  int rounds_ = 1;
  Duration visit_{};
  int round_ = 0;
  std::vector<double> queue_;  // levels of this round that are still to be visited, the next one last
  LevelTally tally_;
  ledger::ProgressSource source_ = ledger::ProgressSource::kNone;
};

}  // namespace heliostat::training_run
