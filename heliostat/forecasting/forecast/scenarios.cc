#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heliostat/forecasting/forecast/bands.h"
#include "heliostat/forecasting/forecast/error_pool.h"

namespace heliostat::forecast {
namespace {

double NormalShareBelow(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// The inverse: the rational approximation of Acklam, relative error 1e-9.
double NormalQuantile(double share) {
  constexpr std::array kA{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array kB{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr std::array kC{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array kD{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  if (share > 0.5) return -NormalQuantile(1 - share);
  if (share < 0.02425) {
    const double q = std::sqrt(-2 * std::log(share));
    return (((((kC[0] * q + kC[1]) * q + kC[2]) * q + kC[3]) * q + kC[4]) * q + kC[5]) /
           ((((kD[0] * q + kD[1]) * q + kD[2]) * q + kD[3]) * q + 1);
  }
  const double q = share - 0.5;
  const double r = q * q;
  return (((((kA[0] * r + kA[1]) * r + kA[2]) * r + kA[3]) * r + kA[4]) * r + kA[5]) * q /
         (((((kB[0] * r + kB[1]) * r + kB[2]) * r + kB[3]) * r + kB[4]) * r + 1);
}

// Past error paths as normal scores of their ranks at each lead; 0 where the error is not known. Each lead is scaled to
// norm 1, so that a sum of paths weighted by independent standard normal numbers is standard normal at each lead, with
// the correlation of the paths between leads.
std::vector<std::vector<double>> NormalPaths(const ErrorRecord& record, std::size_t leads) {
  std::vector<std::vector<double>> paths(record.rows().size(), std::vector<double>(leads, 0.0));
  for (std::size_t lead = 0; lead < leads; ++lead) {
    const auto sorted = record.SortedAtLead(lead);
    const auto n = static_cast<double>(sorted.size());
    double square = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const auto& errors = record.rows()[i].errors;
      if (lead >= errors.size() || std::isnan(errors[lead])) continue;
      const auto equal = std::equal_range(sorted.begin(), sorted.end(), errors[lead]);
      const auto below = static_cast<double>(equal.first - sorted.begin());
      const auto equals = static_cast<double>(equal.second - equal.first);
      const double rank = below + (equals + 1) / 2;  // equal errors have their mean rank
      paths[i][lead] = NormalQuantile(rank / (n + 1));
      square += paths[i][lead] * paths[i][lead];
    }
    if (square == 0) continue;
    for (auto& path : paths) path[lead] /= std::sqrt(square);
  }
  return paths;
}

// The weighted sum of paths. Zero at leads where all errors were equal.
std::vector<double> DrawPath(const std::vector<std::vector<double>>& paths, std::size_t leads, RandomStream& random) {
  std::vector<double> z(leads, 0.0);
  for (const auto& path : paths) {
    const double weight = random.Normal();
    for (std::size_t lead = 0; lead < leads; ++lead) z[lead] += weight * path[lead];
  }
  return z;
}

}  // namespace

std::vector<std::vector<double>> MakeScenarios(const ErrorRecord& record, std::span<const double> prediction,
                                               const ValueLimits& limits, std::size_t count, RandomStream random) {
  std::vector<std::vector<double>> scenarios(count, std::vector<double>(prediction.begin(), prediction.end()));
  const ErrorPools pools(record);
  if (!pools.empty() && !prediction.empty()) {
    const std::size_t leads = pools.Known(prediction.size() - 1) + 1;
    const auto paths = NormalPaths(record, leads);
    std::vector<std::vector<double>> expected(prediction.size());
    for (std::size_t lead = 0; lead < prediction.size(); ++lead) pools.At(lead, expected[lead]);
    for (auto& scenario : scenarios) {
      const auto z = DrawPath(paths, leads, random);
      for (std::size_t lead = 0; lead < scenario.size(); ++lead) {
        const double share = NormalShareBelow(z[pools.Known(lead)]);
        scenario[lead] = record.Apply(prediction[lead], Quantile(expected[lead], share));
      }
    }
  }
  for (auto& scenario : scenarios) Clamp(scenario, limits);
  return scenarios;
}

}  // namespace heliostat::forecast
