#include "heliostat/base/core/random.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/hash.h"

namespace heliostat {
namespace {

std::uint64_t SplitMix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t state = a ^ std::rotl(b * 0xd6e8feb86659fd93ULL, 32);
  SplitMix(state);
  return SplitMix(state);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed) : seed_(seed), state_{} {
  std::uint64_t mixer = seed;
  for (auto& word : state_) word = SplitMix(mixer);
}

RandomStream RandomStream::Split(std::string_view name) const { return RandomStream(Mix(seed_, Hash64(name))); }

RandomStream RandomStream::Split(std::uint64_t index) const { return RandomStream(Mix(seed_ + 1, index)); }

std::uint64_t RandomStream::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

double RandomStream::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  Check(bound > 0, "Below() needs a bound above 0");
  const std::uint64_t reject_under = -bound % bound;  // 2^64 mod bound: the biased remainder
  std::uint64_t draw = Next();
  while (draw < reject_under) draw = Next();
  return draw % bound;
}

double RandomStream::Normal(double mean, double sd) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return mean + sd * radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double RandomStream::Exponential(double mean) { return -mean * std::log(1.0 - Uniform()); }

bool RandomStream::Chance(double probability) { return Uniform() < probability; }

}  // namespace heliostat
