#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Why a piece of time does not count.
enum class Exclusion { kEvaluation, kStall, kRestart };
std::string_view NameOf(Exclusion why);

struct ExcludedTime {
  Seconds begin{0};
  Seconds end{0};
  Exclusion why = Exclusion::kStall;
};

// How fast a program steps, and how well that is known.
struct RateEstimate {
  double steps_per_s = 0.0;
  double standard_error = 0.0;  // of steps_per_s, from the spread among pieces
  double steps = 0.0;           // that count
  Joules energy;                // taken by them
  Seconds counted{0};
  Seconds excluded{0};
  int pieces = 0;
  std::vector<ExcludedTime> exclusions;
};

// From counts at moments to a rate that an epoch's end, an evaluation or a stall does not bend. The stretch is cut into
// pieces of at least `grain` that begin and end where the count rose, so that they hold whole steps however long one
// takes and however seldom a program tells of them; a piece whose steps took far longer than those of most is an
// outlier and told as such. While a program is paced, a grain of several periods makes its holds part of every piece,
// as they should be. Time is the caller's: monotone, from any origin. Not thread-safe.
class StepRate {
 public:
  explicit StepRate(Seconds grain = Seconds(2.0)) : grain_(grain) {}

  // So many steps were done in all by now, for so much energy. Call it when the count is read, moved or not.
  struct Look {
    Seconds at{0};
    double count = 0.0;
    Joules energy{};
    bool is_evaluating = false;
  };
  void Add(const Look& look);
  // Nothing before there are two pieces that count: one alone does not tell how sure it is.
  std::optional<RateEstimate> Estimate() const;
  // A new stretch, from where the last piece ended.
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
  std::optional<Look> begin_;  // of the piece that is open
  std::optional<Look> last_;
  std::vector<Piece> pieces_;
};

// Whether a program waits for its data rather than for the GPU: the GPU is idle for much of the time in which steps go
// on and nobody holds the program.
struct InputEvidence {
  bool is_input_bound = false;
  double busy_share = 0.0;  // of the time in which it was let run
};
// `utilisation`: the GPU's mean over the stretch, 0 to 1. `duty`: the share of time in which the program was let run.
InputEvidence JudgeInput(const RateEstimate& rate, double utilisation, double duty = 1.0);

}  // namespace heliostat::training_progress
