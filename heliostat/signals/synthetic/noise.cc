#include "heliostat/signals/synthetic/noise.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "heliostat/base/core/check.h"

namespace heliostat::synthetic {
namespace {

constexpr int kLevels = std::countr_zero(static_cast<std::uint64_t>(kBlock));

// The middle of two neighbours at distance 2h is weight * (left + right) + deviation * N(0, 1).
struct Bridge {
  double weight;
  double deviation;
};

std::array<Bridge, kLevels> BridgesFor(double tau) {
  std::array<Bridge, kLevels> bridges{};
  for (int level = 0; level < kLevels; ++level) {
    const double rho = std::exp(-std::ldexp(1.0, level) / tau);
    bridges[static_cast<std::size_t>(level)] = {rho / (1 + rho * rho), std::sqrt((1 - rho * rho) / (1 + rho * rho))};
  }
  return bridges;
}

class BlockFiller {
 public:
  BlockFiller(const RandomStream& stream, double tau, std::int64_t first, std::vector<double>& values)
      : stream_(stream), bridges_(BridgesFor(tau)), first_(first), values_(values) {}

  void Fill(std::int64_t block) {
    const std::int64_t begin = block * kBlock;
    const double left = DrawAt(begin);
    Store(begin, left);
    Halve(begin, left, DrawAt(begin + kBlock), kLevels - 1);
  }

 private:
  double DrawAt(std::int64_t index) const { return stream_.Split(static_cast<std::uint64_t>(index)).Normal(); }

  void Store(std::int64_t index, double value) {
    if (Wanted(index, index + 1)) values_[static_cast<std::size_t>(index - first_)] = value;
  }

  bool Wanted(std::int64_t begin, std::int64_t end) const {
    return begin < first_ + static_cast<std::int64_t>(values_.size()) && end > first_;
  }

  // Fills the open stretch between `begin` and begin + 2^(level + 1), whose ends are known.
  void Halve(std::int64_t begin, double left, double right, int level) {
    const std::int64_t half = std::int64_t{1} << level;
    if (!Wanted(begin + 1, begin + 2 * half)) return;
    const Bridge& bridge = bridges_[static_cast<std::size_t>(level)];
    const double middle = bridge.weight * (left + right) + bridge.deviation * DrawAt(begin + half);
    Store(begin + half, middle);
    if (level == 0) return;
    Halve(begin, left, middle, level - 1);
    Halve(begin + half, middle, right, level - 1);
  }

  const RandomStream& stream_;
  std::array<Bridge, kLevels> bridges_;
  std::int64_t first_;
  std::vector<double>& values_;
};

}  // namespace

std::vector<double> OrnsteinUhlenbeck(const RandomStream& stream, double tau, std::int64_t first, std::size_t count) {
  Check(tau > 0 && tau * 10 <= static_cast<double>(kBlock), "time constant of a noise is outside (0, kBlock / 10]");
  std::vector<double> values(count);
  BlockFiller filler(stream, tau, first, values);
  const std::int64_t last = first + static_cast<std::int64_t>(count) - 1;
  const auto block_of = [](std::int64_t index) { return (index - (((index % kBlock) + kBlock) % kBlock)) / kBlock; };
  for (std::int64_t block = block_of(first); count > 0 && block <= block_of(last); ++block) filler.Fill(block);
  return values;
}

}  // namespace heliostat::synthetic
