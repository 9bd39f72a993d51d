#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heliostat {

// A reproducible stream of random numbers (xoshiro256**, seeded by SplitMix64).
// Streams split by name: two parts that draw from streams of their own cannot
// disturb each other, however many numbers either takes. The distributions are
// ours because the standard library's differ between implementations.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  // An independent stream, a function of this stream's seed and `name` alone:
  // drawing from the parent before or after makes no difference.
  RandomStream Split(std::string_view name) const;
  RandomStream Split(std::uint64_t index) const;

  std::uint64_t Next();
  double Uniform();                               // [0, 1)
  double Uniform(double low, double high);        // [low, high)
  std::uint64_t Below(std::uint64_t bound);       // 0 .. bound-1, unbiased; bound > 0
  double Normal(double mean = 0, double sd = 1);  // Box-Muller
  double Exponential(double mean);
  bool Chance(double probability);

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;
};

}  // namespace heliostat
