#include "heliostat/node/training_progress/lull.h"

#include <algorithm>
#include <utility>

namespace heliostat::training_progress {
namespace {

// Shorter waits are part of stepping.
constexpr Seconds kShortest{2.0};
constexpr double kLongerThanUsual = 5.0;
// This many in a row are no lulls: the program has become slower, or reports less often.
constexpr int kMostInARow = 3;
constexpr double kNewest = 0.1;  // weight of the newest wait in the usual one

}  // namespace

Seconds Lull::Limit() const { return std::max(kShortest, kLongerThanUsual * *usual_); }

Seconds Lull::Add(Seconds at, double count) {
  if (!rose_) {
    Rest(at);
    count_ = count;
    return Seconds(0);
  }
  const Seconds wait = at - *rose_;
  const bool is_long = usual_ && wait > Limit();
  Seconds news{0};
  if (is_long) {
    const Seconds lull = wait - *usual_;
    news = std::max(lull - told_, Seconds(0));
    told_ = std::max(told_, lull);
  }
  if (count == std::exchange(count_, count)) return news;
  lulls_in_a_row_ = is_long ? lulls_in_a_row_ + 1 : 0;
  if (!usual_ || lulls_in_a_row_ >= kMostInARow) usual_ = wait;
  if (!is_long) *usual_ += kNewest * (wait - *usual_);
  Rest(at);
  return news;
}

void Lull::Rest(Seconds at) {
  rose_ = at;
  told_ = Seconds(0);
}

}  // namespace heliostat::training_progress
