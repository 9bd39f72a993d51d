#pragma once

#include <optional>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Tells the time in which a program that steps does something else: an epoch's end, a checkpoint, a wait for a file
// server. Unlike Rate it tells while the program runs, and how long each was. Time is the caller's: monotone, from any
// origin. Not thread-safe.
class Lull {
 public:
  // So many steps were done in all by now. The time that has just turned out to be a lull: 0 mostly, much at once when
  // a wait has become too long for a step.
  Seconds Add(Seconds at, double count);
  // The program is known to do something else until now.
  void Rest(Seconds at);

 private:
  Seconds Limit() const;

  std::optional<Seconds> rose_;  // when the count last did
  double count_ = 0.0;
  std::optional<Seconds> usual_;  // from one rise of the count to the next
  Seconds told_{0};               // of the wait that goes on
  int lulls_in_a_row_ = 0;
};

}  // namespace heliostat::training_progress
