#include "heliostat/control/cluster/circuit_breaker.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::cluster {

using std::chrono::milliseconds;

void CircuitBreaker::Fail(std::string what) {
  if (failures_ == 0) since_ = clock_.Now();
  const bool was_open = is_open();
  failures_ = std::min(failures_ + 1, patience_.failures);
  what_ = std::move(what);
  if (!is_open()) return;
  wait_ = was_open ? std::min(2 * wait_, patience_.longest_wait) : patience_.first_wait;
  next_probe_ = clock_.Steady() + wait_;
}

std::string CircuitBreaker::Line() const {
  const auto left = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next_probe_ - clock_.Steady()));
  return fmt::format("does not answer since {} ({}); is asked again in {} s", FormatInstant(since_), what_,
                     std::chrono::ceil<std::chrono::seconds>(left).count());
}

}  // namespace heliostat::cluster
