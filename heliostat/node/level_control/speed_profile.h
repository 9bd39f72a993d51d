#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/level_control/choose.h"
#include "heliostat/node/level_control/level.h"

namespace heliostat::level_control {

// A while in which the knob stood still.
struct SteadySpell {
  double level = 0.0;
  Seconds duration{};
  double steps = 0.0;  // of work; a share of one counts
  Joules energy{};
  bool is_clean = true;  // nothing but training, at this very level
  // How much a step's time varies, as a share, and from how many looks that is known.
  double step_noise = 0.0;
  int noise_looks = 0;
};

// How levels are tried.
struct Probing {
  double wanted_error = 0.005;  // of a speed, as a share
  Duration shortest{20};
  Duration longest{300};
  // Of the run's time that trying may cost; and of its whole length, or of a day if that is longer, that tries may
  // last.
  double share = 0.02;
};

// What is known at a level, with standard errors.
struct LevelEstimate {
  double speed = 0.0;
  double speed_error = 0.0;
  Watts power{};
  Watts power_error{};
};

// What is sought: the smaller the better. Gains below `worth` are not worth a try.
struct Merit {
  std::function<double(double speed, Watts power)> of;
  double worth = 0.0;
};

// What is known of one program on one GPU over the levels of a knob, learned while it trains. Speeds rise with the
// level, ever less (FitRisingConcave()); draws rise (FitRising()); between measured levels both follow the chord, which
// is the cautious guess, and the error says how far above it a concave curve could lie. Levels below a knee, where a
// GPU collapses and speed falls faster than any concave curve, are told from the rest and not offered. Over paces both
// follow a line.
class SpeedProfile {
 public:
  // `levels` ascend; the last is the default. `key` says what was measured: program, model, batch, GPU.
  SpeedProfile(std::string key, Knob knob, std::vector<double> levels, Probing probing = {});

  // Stretches that are not clean, or hold no work, teach nothing but that they were tried.
  void AddStretch(const SteadySpell& stretch);

  // From the lowest usable measured level on; nothing below, nor before anything was measured.
  std::optional<LevelEstimate> At(double level) const;
  // At() for the levels that have an answer, ascending.
  std::vector<LevelOption> Options() const;

  // The level to try next: first a known one after Load(), whether it still holds, and one whose last stretch was odd;
  // then the spread ones, then the one that might beat the best by most, as far as is known.
  // Nothing when no try would change the choice. Ends: no level is tried more than a few times.
  std::optional<double> Next(const Merit& merit) const;
  // How long a try must last for the wanted error, with steps as noisy as they have been.
  Duration StretchFor(double level) const;

  // Speed does not move with the level, as far as measured: it waits for input.
  bool IsInputBound() const;
  // How often live speeds left the profile for good, so that it was begun anew.
  int drifts() const { return drifts_; }
  // Of a step's time, relative.
  double step_noise() const;

  const std::string& key() const { return key_; }
  Knob knob() const { return knob_; }
  const std::vector<double>& levels() const { return levels_; }

  io::Json Save() const;
  // What Save() wrote, for the same levels. Refuses another key or knob.
  Status Load(const io::Json& saved);

 private:
  // All clean stretches at one level.
  struct Cell {
    double seconds = 0.0;
    double steps = 0.0;
    double joules = 0.0;
    int stretches = 0;
    double scatter = 0.0;  // of stretches' speeds around their mean: squares of shares, by steps
    double within = 0.0;   // of steps within stretches: squares of shares, by looks
    double looks = 0.0;

    double speed() const { return steps / seconds; }
    void Add(const SteadySpell& stretch);
  };
  struct Knot {
    double level = 0.0;
    double speed = 0.0;
    double speed_error = 0.0;
    double power_w = 0.0;
    double power_error_w = 0.0;
  };

  // What a fit works on: knots side by side.
  struct Columns {
    explicit Columns(const std::vector<Knot>& knots);
    std::vector<double> levels;
    std::vector<double> speeds;
    std::vector<double> powers;
    std::vector<double> speed_weights;
    std::vector<double> power_weights;
  };

  void Fit();
  static std::vector<Knot> OnACurve(std::vector<Knot> knots, const Columns& columns);
  std::vector<Knot> OnALine(const Columns& columns) const;
  void DropBelowKnee(std::vector<Knot>& knots) const;
  double OffBy(const SteadySpell& stretch) const;
  static double OffBy(const SteadySpell& stretch, double expected, double error);
  bool IsOddAmongNeighbours(const SteadySpell& stretch) const;
  LevelEstimate Beyond(double level) const;
  std::optional<double> FirstUntried() const;
  LevelEstimate Hope(double level) const;
  int TriesAt(double level) const;

  std::string key_;
  Knob knob_;
  std::vector<double> levels_;
  Probing probing_;
  std::map<double, Cell> cells_;
  std::map<double, int> spoiled_;    // tries that taught nothing
  std::vector<Knot> knots_;          // fitted, ascending
  double knee_ = 0.0;                // levels below it are not offered
  bool is_checked_ = true;           // false: of another day, or at odds with itself
  std::vector<SteadySpell> strays_;  // the newest, all off the profile on the same side
  int drifts_ = 0;
};

}  // namespace heliostat::level_control
