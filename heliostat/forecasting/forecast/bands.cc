#include "heliostat/forecasting/forecast/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/forecast/error_pool.h"

namespace heliostat::forecast {
namespace {

// How far one day's surprise moves what is asked. Chosen on the carbon
// intensities of five grids: slower lets bands fall behind when summer's errors
// are followed by autumn's, quicker makes them tremble without covering better.
constexpr double kLearningRate = 0.1;
constexpr double kLeastAsked = 0.02;
constexpr double kMostAsked = 0.995;
// What is asked for ends there, what is remembered a little later: bands that
// missed more than widening can mend stay wide until the debt is paid.
constexpr double kMostDebt = 0.2;

std::size_t IndexOf(double level) {
  const auto* const at = std::ranges::find(kBandLevels, level);
  Check(at != kBandLevels.end(), "a level of kBandLevels");
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
      // Each level learns alone, and may for a while ask for less than the one
      // inside it; and however biased a model is, what it says lies inside.
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
