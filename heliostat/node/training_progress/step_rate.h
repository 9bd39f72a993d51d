#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Why a piece of time is excluded.
enum class Exclusion { kEvaluation, kStall, kRestart };
std::string_view NameOf(Exclusion why);

struct ExcludedTime {
  Seconds begin{0};
  Seconds end{0};
  Exclusion why = Exclusion::kStall;
};

// The speed of a program, with its standard error.
struct RateEstimate {
  double steps_per_s = 0.0;
  double standard_error = 0.0;  // of steps_per_s, from the spread among pieces
  double steps = 0.0;           // without those in excluded time
  Joules energy;                // used for these steps
  Seconds counted{0};
  Seconds excluded{0};
  int pieces = 0;
  std::vector<ExcludedTime> exclusions;
};

// Turns counts of steps into a rate that the end of an epoch, an evaluation or a stall does not distort. The time is
// cut into pieces of at least `grain` that begin and end where the count rose, so that they hold whole steps, however
// long a step takes and however seldom the program reports. A piece whose steps took far longer than most is excluded
// as a stall. For a paced program, a grain of several periods makes the holds part of every piece. The caller supplies
// the time: monotone, from any origin. Not thread-safe.
class StepRate {
 public:
  explicit StepRate(Seconds grain = Seconds(2.0)) : grain_(grain) {}

  // Steps and energy in total up to a time. To be added whenever the count is read, changed or not.
  struct Look {
    Seconds at{0};
    double count = 0.0;
    Joules energy{};
    bool is_evaluating = false;
  };
  void Add(const Look& look);
  // Absent before there are two pieces that count: one alone has no error.
  std::optional<RateEstimate> Estimate() const;
  // Starts a new stretch where the last piece ended.
  void Restart() { pieces_.clear(); }

 private:
  struct Piece {
    Seconds begin{0};
    Seconds end{0};
    double steps = 0.0;
    Joules energy;
    std::optional<Exclusion> why;
    double StepTime() const { return (end - begin).count() / steps; }
  };

  void Close(const Look& end, std::optional<Exclusion> why);

  Seconds grain_;
  std::optional<Look> begin_;  // of the open piece
  std::optional<Look> last_;
  std::vector<Piece> pieces_;
};

// Whether a program waits for its input rather than for the GPU: the GPU is idle for much of the time in which the
// program steps and is not held.
struct InputEvidence {
  bool is_input_bound = false;
  double busy_share = 0.0;  // of the time in which the program was not held
};
// `utilisation`: mean of the GPU over the stretch, 0 to 1. `duty`: the share of time in which the program was not held.
InputEvidence JudgeInput(const RateEstimate& rate, double utilisation, double duty = 1.0);

}  // namespace heliostat::training_progress
