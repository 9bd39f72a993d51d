#include "heliostat/store/words.h"

#include <array>
#include <utility>

#include "heliostat/core/check.h"
#include "heliostat/signal/meaning.h"

namespace heliostat::store {
namespace {

template <typename Enumeration>
using Word = std::pair<Enumeration, std::string_view>;

using signal::Basis;
using signal::Kind;
using signal::Nature;
using signal::Scope;
using signal::Unit;

constexpr std::array kKinds{
    Word<Kind>{Kind::kCarbonIntensity, "carbon_intensity"},
    Word<Kind>{Kind::kPower, "power"},
    Word<Kind>{Kind::kPrice, "price"},
    Word<Kind>{Kind::kCapacityFactor, "capacity_factor"},
    Word<Kind>{Kind::kShare, "share"},
    Word<Kind>{Kind::kOther, "other"},
};
constexpr std::array kNatures{
    Word<Nature>{Nature::kUnknown, "unknown"},   Word<Nature>{Nature::kMeasured, "measured"},
    Word<Nature>{Nature::kForecast, "forecast"}, Word<Nature>{Nature::kModelled, "modelled"},
    Word<Nature>{Nature::kTariff, "tariff"},     Word<Nature>{Nature::kSynthetic, "synthetic"},
};
constexpr std::array kBases{
    Word<Basis>{Basis::kUnknown, "unknown"},
    Word<Basis>{Basis::kLifecycle, "lifecycle"},
    Word<Basis>{Basis::kDirect, "direct"},
};
constexpr std::array kScopes{
    Word<Scope>{Scope::kUnknown, "unknown"},
    Word<Scope>{Scope::kAverage, "average"},
    Word<Scope>{Scope::kMarginal, "marginal"},
};
constexpr std::array kUnits{
    Word<Unit>{Unit::kGramsPerKwh, "g_per_kwh"},
    Word<Unit>{Unit::kWatt, "w"},
    Word<Unit>{Unit::kKilowatt, "kw"},
    Word<Unit>{Unit::kMegawatt, "mw"},
    Word<Unit>{Unit::kPerKwh, "per_kwh"},
    Word<Unit>{Unit::kPerMwh, "per_mwh"},
    Word<Unit>{Unit::kPerUnit, "per_unit"},
    Word<Unit>{Unit::kPercent, "percent"},
    Word<Unit>{Unit::kNone, "none"},
};

constexpr const auto& WordsOf(Kind) { return kKinds; }
constexpr const auto& WordsOf(Nature) { return kNatures; }
constexpr const auto& WordsOf(Basis) { return kBases; }
constexpr const auto& WordsOf(Scope) { return kScopes; }
constexpr const auto& WordsOf(Unit) { return kUnits; }

}  // namespace

template <typename Enumeration>
std::string_view WordOf(Enumeration value) {
  for (const auto& [known, word] : WordsOf(value)) {
    if (known == value) return word;
  }
  Check(false, "an enumerator has no word in the store");
  return {};
}

template <typename Enumeration>
std::optional<Enumeration> FromWord(std::string_view word) {
  for (const auto& [value, known] : WordsOf(Enumeration{})) {
    if (known == word) return value;
  }
  return std::nullopt;
}

template std::string_view WordOf(Kind);
template std::string_view WordOf(Nature);
template std::string_view WordOf(Basis);
template std::string_view WordOf(Scope);
template std::string_view WordOf(Unit);
template std::optional<Kind> FromWord(std::string_view);
template std::optional<Nature> FromWord(std::string_view);
template std::optional<Basis> FromWord(std::string_view);
template std::optional<Scope> FromWord(std::string_view);
template std::optional<Unit> FromWord(std::string_view);

}  // namespace heliostat::store
