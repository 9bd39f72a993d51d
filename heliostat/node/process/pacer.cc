#include "heliostat/node/process/pacer.h"

namespace heliostat::process {
namespace {

constexpr std::chrono::milliseconds kCycle{1000};
constexpr std::chrono::milliseconds kIdle{100};

}  // namespace

Pacer::Phase Pacer::At(Time now, double duty) {
  if (duty >= 1.0) return {true, now + kIdle};
  if (now - begun_ >= kCycle) begun_ = now - begun_ < 2 * kCycle ? begun_ + kCycle : now;
  const Time rest = begun_ + std::chrono::duration_cast<Time::duration>(kCycle * duty);
  return now < rest ? Phase{true, rest} : Phase{false, begun_ + kCycle};
}

}  // namespace heliostat::process
