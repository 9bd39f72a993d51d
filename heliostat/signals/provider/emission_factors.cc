#include "heliostat/signals/provider/emission_factors.h"

#include <algorithm>
#include <array>

namespace heliostat::provider {
namespace {

constexpr double kGramsPerPound = 453.59237;

constexpr auto kFactors = std::to_array<EmissionFactor>({
    {"COL", 820, 2.31 * kGramsPerPound},  // coal, pulverised
    {"NG", 490, 0.96 * kGramsPerPound},   // gas, combined cycle
    {"OIL", 650, 2.46 * kGramsPerPound},  // petroleum
    {"NUC", 12, 0},
    {"WAT", 24, 0},
    {"WND", 11, 0},  // onshore
    {"WNB", 11, 0},  // wind with an integrated battery
    {"SUN", 48, 0},  // photovoltaic, utility scale
    {"SNB", 48, 0},  // solar with an integrated battery
    {"GEO", 38, 0},
    {"BIO", 230, 0},  // dedicated biomass
});

constexpr std::array<std::string_view, 4> kStorage{"BAT", "PS", "OES", "UES"};

}  // namespace

std::span<const EmissionFactor> EiaEmissionFactors() { return kFactors; }

const EmissionFactor* FindEmissionFactor(std::string_view fuel) {
  const auto* const found = std::ranges::find(kFactors, fuel, &EmissionFactor::fuel);
  return found == kFactors.end() ? nullptr : found;
}

bool IsStorage(std::string_view fuel) { return std::ranges::find(kStorage, fuel) != kStorage.end(); }

}  // namespace heliostat::provider
