#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/level_control/budget_plan.h"
#include "heliostat/node/level_control/choose.h"
#include "heliostat/node/level_control/level.h"
#include "heliostat/node/level_control/speed_profile.h"

namespace heliostat::level_control {

enum class Mode {
  kEta,     // Chase's equation 6, period by period
  kBudget,  // least cost over the rest of the run, within a slowdown or until a deadline
};

// How a Controller chooses levels.
struct Settings {
  Mode mode = Mode::kEta;
  double eta = 0.5;                    // 0: only time counts; 1: only cost counts
  Duration period{1800};               // between decisions, unless the signal jumps
  std::optional<double> max_slowdown;  // budget: 0.025 for 2.5 % longer than at the default level
  std::optional<Instant> deadline;     // budget
  Knob knob = Knob::kPowerLimit;
  std::vector<double> levels;       // ascending, the default last
  Watts most_power{};               // of equation 6: all GPUs of the job at their highest limit
  double highest_cost = 0.0;        // of equation 6: per joule, the highest of the 24 hours before the run
  std::string cost_unit = "g/kWh";  // the unit of cost in messages
  Probing probing{};
};

// How far the program is.
struct WorkProgress {
  Seconds elapsed{};           // since the work began, without what went aside
  double done = 0.0;           // work, in the unit of steps
  std::optional<double> left;  // absent: the length of the program is not known
  double aside_share = 0.0;    // share of all time that goes aside: evaluation, the end of an epoch
};

// Everything that a decision depends on.
struct Situation {
  Instant now{};
  std::vector<Slot> ahead;  // forecast cost of a joule; the first slot is the rest of this period
  WorkProgress progress{};
  std::vector<SteadySpell> stretches;  // measured since the last decision
  // The present cost of a joule, where it differs from the mean of the first slot.
  std::optional<double> present = std::nullopt;
};

// A level and the reason for it.
struct LevelDecision {
  Level level{};
  Duration hold{};                // time until the next decision
  std::string why;                // one sentence, with numbers
  double speed = 0.0;             // expected; 0: not known yet
  Watts power{};                  // likewise
  double saving = 0.0;            // share of energy saved for the same work, against the default level
  bool is_probe = false;          // chosen to learn, not because it is best
  bool is_feasible = true;        // false: the budget or deadline cannot be kept, and this is the fastest
  std::optional<Seconds> finish;  // budget: when the work will be done, from now
};

// Chase's decisions: time, forecasts and measurements come in, levels come out. It uses no clock, no files and no GPU,
// so that live runs and `heliostat reproduce chase` share it. Not thread-safe.
class Controller {
 public:
  // Learns the program's profile while it runs, starting from `profile`. kInvalidArgument for settings out of range.
  static Result<Controller> Make(Settings settings, SpeedProfile profile);
  // Learns nothing: `options` has one option per level, ascending.
  static Result<Controller> MakeKnown(Settings settings, std::vector<LevelOption> options);

  // For a signal that was not known yet when the controller was made.
  void SetHighestCost(double cost_per_joule) { settings_.highest_cost = cost_per_joule; }

  LevelDecision Decide(const Situation& situation);
  // Learns from stretches as Decide() does; for those after the last decision.
  void Learn(const std::vector<SteadySpell>& stretches);

  // True when the cost has moved so far since the last decision that it is time to decide before the period ends.
  bool IsJump(double cost_per_joule) const;

  // nullptr for a controller of MakeKnown().
  const SpeedProfile* profile() const { return profile_ ? &*profile_ : nullptr; }
  // Time lost by trying levels so far.
  Seconds probing_loss() const { return probing_loss_; }
  const Settings& settings() const { return settings_; }

 private:
  Controller(Settings settings, std::optional<SpeedProfile> profile, std::vector<LevelOption> known)
      : settings_(std::move(settings)), profile_(std::move(profile)), known_(std::move(known)) {}

  // Remaining work and the time for it.
  struct Target {
    double work = 0.0;
    Seconds budget{};
  };

  EtaCost Cost() const { return {settings_.eta, settings_.most_power, settings_.highest_cost}; }
  std::vector<LevelOption> Options() const { return profile_ ? profile_->Options() : known_; }
  std::optional<Target> TargetOf(const Situation& situation, const std::vector<LevelOption>& options) const;
  Merit MeritOf(const Situation& situation, const std::vector<LevelOption>& options) const;
  std::optional<LevelDecision> Probe(const Situation& situation, const std::vector<LevelOption>& options) const;
  bool CanAfford(double level, Duration length, const Situation& situation,
                 const std::vector<LevelOption>& options) const;
  LevelDecision ByEta(const Situation& situation, const std::vector<LevelOption>& options) const;
  LevelDecision ByBudget(const Situation& situation, const std::vector<LevelOption>& options) const;
  LevelDecision AtDefault(const Situation& situation, std::string why) const;
  LevelDecision With(const LevelOption& option, const std::vector<LevelOption>& options, Duration hold) const;
  std::string CostText(double cost_per_joule) const;

  Settings settings_;
  std::optional<SpeedProfile> profile_;
  std::vector<LevelOption> known_;
  Seconds probing_loss_{};
  Seconds probing_time_{};
  std::optional<LevelDecision> last_;
  double decided_cost_ = 0.0;
};

}  // namespace heliostat::level_control
