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

// A measurement: a time in which the level did not change.
struct SteadySpell {
  double level = 0.0;
  Seconds duration{};
  double steps = 0.0;  // may be fractional
  Joules energy{};
  bool is_clean = true;  // only training, and only at this level
  // Relative variation of the time of a step, and the number of measurements behind it.
  double step_noise = 0.0;
  int noise_looks = 0;
};

// How levels are tried.
struct Probing {
  double wanted_error = 0.005;  // relative error of a speed to reach
  Duration shortest{20};
  Duration longest{300};
  // Share of the run's time that may be lost by trying levels; and share of its whole length, or of a day if that is
  // longer, that tries may last.
  double share = 0.02;
};

// Speed and power at a level, with standard errors.
struct LevelEstimate {
  double speed = 0.0;
  double speed_error = 0.0;
  Watts power{};
  Watts power_error{};
};

// The objective of the search; smaller is better. Gains below `worth` do not justify a try.
struct Merit {
  std::function<double(double speed, Watts power)> of;
  double worth = 0.0;
};

// Speed and power of one program on one kind of GPU over the levels of a knob, learned while it trains. Speed is
// concave and rises with the level (FitRisingConcave()); power rises (FitRising()). Between measured levels both are
// interpolated linearly, which underestimates a concave speed; the error covers how far above a concave curve could
// lie. Levels below a knee, where speed falls faster than any concave curve, are detected and not offered. Over paces
// both follow a line. Not thread-safe.
class SpeedProfile {
 public:
  // `levels` must ascend; the last is the default. `key` identifies what is measured: program, model, batch, GPU.
  SpeedProfile(std::string key, Knob knob, std::vector<double> levels, Probing probing = {});

  // A stretch that is not clean, or has no work, counts only as a try of its level.
  void AddStretch(const SteadySpell& stretch);

  // Absent below the lowest usable measured level, and before the first measurement.
  std::optional<LevelEstimate> At(double level) const;
  // At() for all levels where it is known, ascending.
  std::vector<LevelOption> Options() const;

  // The level to try next: first a known one, to check a profile after Load() or one whose last stretch was unusual;
  // then evenly spread ones; then the one that might improve on the best by most. Absent when no try would change the
  // choice. No level is tried more than a few times.
  std::optional<double> Next(const Merit& merit) const;
  // How long a try must last to reach the wanted error, given the noise of steps so far.
  Duration StretchFor(double level) const;

  // True when the measured speed does not depend on the level: the program waits for input.
  bool IsInputBound() const;
  // How often live speeds left the profile for good, so that it was dropped and learned again.
  int drifts() const { return drifts_; }
  // Relative variation of the time of a step.
  double step_noise() const;

  const std::string& key() const { return key_; }
  Knob knob() const { return knob_; }
  const std::vector<double>& levels() const { return levels_; }

  io::Json Save() const;
  // Takes over what Save() wrote. Fails for another key or knob.
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

  // The knots as columns, for the fits.
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
  std::map<double, int> spoiled_;    // number of tries without a usable measurement
  std::vector<Knot> knots_;          // fitted, ascending
  double knee_ = 0.0;                // levels below it are not offered
  bool is_checked_ = true;           // false: loaded and not confirmed yet, or contradictory
  std::vector<SteadySpell> strays_;  // the newest stretches that are off the profile, all on the same side
  int drifts_ = 0;
};

}  // namespace heliostat::level_control
