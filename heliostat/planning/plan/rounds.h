#pragma once

#include <functional>
#include <utility>

namespace heliostat::plan {

// Counts the rounds of one or several searches and ends them between two rounds: after a number of rounds, or when a
// function of the caller returns false. A search with a given number of rounds always finds the same plan, because
// nothing ends a round once it has begun. Not thread-safe.
class Rounds {
 public:
  // Whether another round may begin after `done` rounds. Not called again after it has returned false.
  using MayGoOn = std::function<bool(int done)>;
  // Without a function there is no limit.
  explicit Rounds(MayGoOn may_go_on = nullptr) : may_go_on_(std::move(may_go_on)) {}
  static Rounds AtMost(int most) {
    return Rounds([most](int done) { return done < most; });
  }

  // Whether another round may begin. Counts the round if so.
  bool Begin() {
    is_over_ = is_over_ || (may_go_on_ && !may_go_on_(done_));
    done_ += is_over_ ? 0 : 1;
    return !is_over_;
  }
  // Whether Begin() has returned false.
  bool is_over() const { return is_over_; }
  int done() const { return done_; }

 private:
  MayGoOn may_go_on_;
  bool is_over_ = false;
  int done_ = 0;
};

}  // namespace heliostat::plan
