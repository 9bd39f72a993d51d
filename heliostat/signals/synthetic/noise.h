#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/base/core/random.h"

namespace heliostat::synthetic {

// Values first .. first+count-1 of a stationary Ornstein-Uhlenbeck process on an
// integer grid: Gaussian, mean 0, variance 1, correlation exp(-lag / tau).
//
// A value is a function of (stream, tau, index) alone, whichever range it is
// asked in. The grid is cut into blocks of kBlock; block ends are drawn on their
// own, and everything between by halving: given both neighbours, the middle of
// such a process is Gaussian with a known mean and variance, so the values have
// the exact law of the process inside a block. Ends of blocks are independent,
// which is exact to exp(-kBlock / tau): tau must not exceed kBlock / 10.
//
// O(count + log kBlock).
inline constexpr std::int64_t kBlock = 8192;
std::vector<double> OrnsteinUhlenbeck(const RandomStream& stream, double tau, std::int64_t first, std::size_t count);

}  // namespace heliostat::synthetic
