#include "heliostat/forecasting/forecast/error_pool.h"

#include <algorithm>
#include <cmath>

namespace heliostat::forecast {
namespace {

constexpr std::size_t kFewestErrors = 20;   // with fewer, the 5 % quantile is outside the observed errors
constexpr std::size_t kFewestToScale = 10;  // fewer do not determine the size of errors at a lead

}  // namespace

double Quantile(std::span<const double> sorted, double share) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::clamp(share * (n + 1) - 1, 0.0, n - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ErrorPools::ErrorPools(const ErrorRecord& record) : record_(record), size_(record.leads(), 0.0) {
  for (std::size_t lead = 0; lead < size_.size(); ++lead) {
    const auto errors = record.SortedAtLead(lead);
    if (!errors.empty()) leads_ = lead + 1;
    if (errors.size() < kFewestToScale) continue;
    for (const double error : errors) size_[lead] += std::abs(error);
    size_[lead] /= static_cast<double>(errors.size());
  }
}

std::size_t ErrorPools::Known(std::size_t lead) const { return std::min(lead, leads_ - 1); }

double ErrorPools::Factor(std::size_t from, std::size_t to) const {
  return size_[from] > 0 && size_[to] > 0 ? size_[to] / size_[from] : 1.0;
}

void ErrorPools::Merge(std::size_t from, double factor, std::vector<double>& pool) const {
  const auto middle = static_cast<std::ptrdiff_t>(pool.size());
  for (const double error : record_.SortedAtLead(from)) pool.push_back(factor * error);
  std::inplace_merge(pool.begin(), pool.begin() + middle, pool.end());
}

void ErrorPools::At(std::size_t lead, std::vector<double>& pool) const {
  const std::size_t known = Known(lead);
  pool.clear();
  Merge(known, 1.0, pool);
  for (std::size_t away = 1; away < leads_ && (away == 1 || pool.size() < kFewestErrors); ++away) {
    if (known >= away) Merge(known - away, Factor(known - away, known), pool);
    if (known + away < leads_) Merge(known + away, Factor(known + away, known), pool);
  }
  if (lead == known) return;
  const double growth = std::sqrt(static_cast<double>(lead + 1) / static_cast<double>(known + 1));
  for (double& error : pool) error *= growth;
}

}  // namespace heliostat::forecast
