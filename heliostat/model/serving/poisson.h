#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heliostat::serving {

// P(X = count) for X Poisson with that mean, to about ten digits for counts up to 1e7. Unlike std::lgamma it may be
// called from several threads.
double PoissonAt(std::int64_t count, double mean);

// P(X <= first), P(X <= first + 1), ... : `length` values. Zero where the count is negative.
std::vector<double> PoissonUpTo(std::int64_t first, std::size_t length, double mean);

}  // namespace heliostat::serving
