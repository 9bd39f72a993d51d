#pragma once

#include <functional>
#include <utility>

namespace heliostat::plan {

// Counts the rounds of one or several searches and ends them: after a number of rounds, or when the caller says so
// between two rounds. Given the number of rounds, a search finds the same plan every
// time: what is decided about a round is decided before it begins. Used by one thread at a time.
class Rounds {
 public:
  // Is told how many rounds are done and says whether another one may begin. The first "no" is the last question.
  using MayGoOn = std::function<bool(int done)>;
  explicit Rounds(MayGoOn may_go_on = nullptr) : may_go_on_(std::move(may_go_on)) {}
  static Rounds AtMost(int most) {
    return Rounds([most](int done) { return done < most; });
  }

  // Whether another round may begin; it counts then.
  bool Begin() {
    is_over_ = is_over_ || (may_go_on_ && !may_go_on_(done_));
    done_ += is_over_ ? 0 : 1;
    return !is_over_;
  }
  bool is_over() const { return is_over_; }
  int done() const { return done_; }

 private:
  MayGoOn may_go_on_;
  bool is_over_ = false;
  int done_ = 0;
};

}  // namespace heliostat::plan
