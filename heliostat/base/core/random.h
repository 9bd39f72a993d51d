#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heliostat {

// A reproducible stream of random numbers (xoshiro256**, seeded by SplitMix64). Streams split by name or index: code
// that draws from a stream of its own does not change the numbers of any other stream. The distributions are
// implemented here because those of the standard library differ between implementations. Not thread-safe; split one
// stream per thread.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  // An independent stream that depends only on the seed of this stream and on the argument, not on how many numbers
  // were drawn.
  RandomStream Split(std::string_view name) const;
  RandomStream Split(std::uint64_t index) const;

  std::uint64_t Next();                           // all 64 bits
  double Uniform();                               // [0, 1)
  double Uniform(double low, double high);        // [low, high)
  std::uint64_t Below(std::uint64_t bound);       // 0 .. bound-1, unbiased; bound > 0
  double Normal(double mean = 0, double sd = 1);  // Box-Muller
  double Exponential(double mean);
  bool Chance(double probability);  // true with that probability

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;
};

}  // namespace heliostat
