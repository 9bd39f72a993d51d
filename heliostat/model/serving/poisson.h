#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heliostat::serving {

// P(X = count) for a Poisson variable X with this mean, to about ten digits for counts up to 1e7. Thread-safe, unlike
// std::lgamma.
double PoissonAt(std::int64_t count, double mean);

// P(X <= first), P(X <= first + 1), ... : `length` values. Zero where the count is negative.
std::vector<double> PoissonUpTo(std::int64_t first, std::size_t length, double mean);

}  // namespace heliostat::serving
