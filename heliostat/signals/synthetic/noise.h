#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/base/core/random.h"

namespace heliostat::synthetic {

// Values first .. first+count-1 of a stationary Ornstein-Uhlenbeck process on an integer grid: Gaussian, mean 0,
// variance 1, correlation exp(-lag / tau).
//
// A value is a function of (stream, tau, index) alone and does not depend on the requested range. The grid is divided
// into blocks of kBlock. Block ends are drawn independently; the values between them are made by halving: given both
// neighbours, the middle of such a process is Gaussian with a known mean and variance, so the values have the exact
// distribution of the process inside a block. The independence of block ends is exact up to exp(-kBlock / tau): tau
// must not exceed kBlock / 10.
//
// Cost: O(count + log kBlock).
inline constexpr std::int64_t kBlock = 8192;
std::vector<double> OrnsteinUhlenbeck(const RandomStream& stream, double tau, std::int64_t first, std::size_t count);

}  // namespace heliostat::synthetic
