#include "heliostat/forecasting/auto_parts/refine.h"

#include <algorithm>
#include <cmath>

namespace heliostat::auto_parts {
namespace {

// The line at `position`, in coarse steps from the origin; middles are at 0.5, 1.5, …
double LineAt(const std::vector<double>& coarse, double last_coarse, double position) {
  const double from_middle = position - 0.5;
  const double before = std::floor(from_middle);
  const double share = from_middle - before;
  const auto at = [&](double index) {
    if (index < 0) return last_coarse;
    return coarse[std::min(static_cast<std::size_t>(index), coarse.size() - 1)];
  };
  return (1 - share) * at(before) + share * at(before + 1);
}

}  // namespace

std::vector<double> Refine(const std::vector<double>& coarse, std::size_t parts, double last_coarse,
                           std::optional<double> last_fine) {
  if (coarse.empty()) return {};
  const double part = 1 / static_cast<double>(parts);
  const double line_now = LineAt(coarse, last_coarse, -0.5 * part);
  const double apart = last_fine.value_or(line_now) - line_now;
  std::vector<double> fine(coarse.size() * parts);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    const double position = (static_cast<double>(i) + 0.5) * part;
    fine[i] = LineAt(coarse, last_coarse, position) + apart * std::exp(-(position + 0.5 * part));
  }
  return fine;
}

}  // namespace heliostat::auto_parts
