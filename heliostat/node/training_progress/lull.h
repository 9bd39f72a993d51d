#pragma once

#include <optional>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Detects the time in which a program does not step: the end of an epoch, a checkpoint, a wait for a file server.
// Unlike StepRate it does so while the program runs. The caller supplies the time: monotone, from any origin. Not
// thread-safe.
class Lull {
 public:
  // `count`: steps done in total at the time `at`. Returns the time that has newly been recognised as a lull: mostly 0,
  // and the whole wait so far once it is too long for a step.
  Seconds Add(Seconds at, double count);
  // The program is known to have done something else until `at`.
  void Rest(Seconds at);

 private:
  Seconds Limit() const;

  std::optional<Seconds> rose_;  // when the count last did
  double count_ = 0.0;
  std::optional<Seconds> usual_;  // from one rise of the count to the next
  Seconds told_{0};               // returned already, of the present wait
  int lulls_in_a_row_ = 0;
};

}  // namespace heliostat::training_progress
