#pragma once

#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// A measurement that cannot be right.
struct Flaw {
  std::size_t row = 0;  // index
  Error error;
};

// An average power above its limit by this share is an error: in public sweeps of A40, V100, A100 and RTX cards the
// average is at most 1.2 % above the limit, except at the lowest limit of a GPU, which an A40 exceeds by 21 %.
inline constexpr double kOverLimit = 0.05;
inline constexpr double kOverLowestLimit = 0.25;
// A row whose speed differs from that of the next settings by this factor has another unit or a slipped digit: sweeps
// from 100 W to the default change speed by at most 4 from one setting to the next.
inline constexpr double kOddFactor = 10.0;

// The rows of a file that cannot be right, in the order of the file: more power than the limit or than the GPU can
// draw, ten times the speed of the next settings, or the same setting twice. `may_repeat` allows the last: some tables
// differ in columns that a Measurement does not have.
std::vector<Flaw> FlawsOf(std::span<const Measurement> rows, const std::string& file, bool may_repeat);

}  // namespace heliostat::profile
