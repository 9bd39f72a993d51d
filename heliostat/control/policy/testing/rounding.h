#pragma once

#include "heliostat/control/policy/planning.h"

namespace heliostat::policy::testing {

// A plan that takes as many rounds as it gets, up to `wanted`.
class Rounding : public PlanTask {
 public:
  explicit Rounding(int wanted) : wanted_(wanted) {}
  void Make(plan::Rounds& rounds) override {
    while (rounds.done() < wanted_ && rounds.Begin()) {
    }
    made_ = rounds.done();
  }
  int made() const { return made_; }

 private:
  int wanted_;
  int made_ = -1;
};

}  // namespace heliostat::policy::testing
