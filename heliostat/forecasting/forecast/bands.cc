#include "heliostat/forecasting/forecast/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/forecast/error_pool.h"

namespace heliostat::forecast {
namespace {

// How much one day changes the requested level. Chosen on the carbon intensities of five grids: with a lower rate bands
// adapt too slowly to a change of season, with a higher rate they fluctuate without better coverage.
constexpr double kLearningRate = 0.1;
constexpr double kLeastAsked = 0.02;
constexpr double kMostAsked = 0.995;
// The stored shift may exceed the range of requested levels by this much: bands that missed more than widening can
// correct stay wide for longer.
constexpr double kMostDebt = 0.2;

std::size_t IndexOf(double level) {
  const auto* const at = std::ranges::find(kBandLevels, level);
  Check(at != kBandLevels.end(), "the level must be in kBandLevels");
  return static_cast<std::size_t>(at - kBandLevels.begin());
}

}  // namespace

double CoverageKeeper::AskedLevel(double level) const {
  return std::clamp(level + shift_[IndexOf(level)], kLeastAsked, kMostAsked);
}

void CoverageKeeper::Observe(double level, double covered_share, double weight) {
  double& shift = shift_[IndexOf(level)];
  const double moved = shift + kLearningRate * weight * (level - covered_share);
  shift = std::clamp(moved, kLeastAsked - kMostDebt - level, kMostAsked + kMostDebt - level);
}

io::Json CoverageKeeper::Save() const {
  io::Json::Array shifts;
  for (const double shift : shift_) shifts.emplace_back(shift);
  return shifts;
}

Result<CoverageKeeper> CoverageKeeper::Load(const io::Json& saved) {
  const auto shifts = saved.Elements();
  if (!shifts) return Propagate(shifts);
  CoverageKeeper keeper;
  if ((*shifts)->size() != keeper.shift_.size()) {
    return Fail(ErrorCode::kCorrupt, saved.where(), fmt::format("has {} values", (*shifts)->size()),
                fmt::format("must be {}", keeper.shift_.size()));
  }
  for (std::size_t i = 0; i < keeper.shift_.size(); ++i) {
    const auto shift = (**shifts)[i].Number();
    if (!shift) return Propagate(shift);
    keeper.shift_[i] = *shift;
  }
  return keeper;
}

std::vector<Band> MakeBands(const ErrorRecord& record, const CoverageKeeper& keeper, std::span<const double> prediction,
                            const ValueLimits& limits) {
  const ErrorPools pools(record);
  if (pools.empty()) return {};
  std::vector<Band> bands;
  bands.reserve(kBandLevels.size());
  for (const double level : kBandLevels) {
    bands.push_back({level, std::vector<double>(prediction.size()), std::vector<double>(prediction.size())});
  }
  std::vector<double> pool;
  for (std::size_t lead = 0; lead < prediction.size(); ++lead) {
    pools.At(lead, pool);
    for (std::size_t i = 0; i < bands.size(); ++i) {
      const double tail = (1 - keeper.AskedLevel(kBandLevels[i])) / 2;
      const double lower = record.Apply(prediction[lead], Quantile(pool, tail));
      const double upper = record.Apply(prediction[lead], Quantile(pool, 1 - tail));
      // Each level adapts separately and can request less than the next narrower one; the prediction is inside even for
      // a biased model.
      bands[i].lower[lead] = std::min(lower, i > 0 ? bands[i - 1].lower[lead] : prediction[lead]);
      bands[i].upper[lead] = std::max(upper, i > 0 ? bands[i - 1].upper[lead] : prediction[lead]);
    }
  }
  for (auto& band : bands) {
    Clamp(band.lower, limits);
    Clamp(band.upper, limits);
  }
  return bands;
}

}  // namespace heliostat::forecast
