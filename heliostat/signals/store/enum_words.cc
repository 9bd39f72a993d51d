#include "heliostat/signals/store/enum_words.h"

#include "heliostat/base/core/names.h"
#include "heliostat/signals/signal/meaning.h"

namespace heliostat::store {
namespace {

using signal::Basis;
using signal::Kind;
using signal::Nature;
using signal::Scope;
using signal::Unit;

constexpr auto kKinds = NamesOf<Kind>({{Kind::kCarbonIntensity, "carbon_intensity"},
                                       {Kind::kPower, "power"},
                                       {Kind::kPrice, "price"},
                                       {Kind::kCapacityFactor, "capacity_factor"},
                                       {Kind::kShare, "share"},
                                       {Kind::kOther, "other"}});
constexpr auto kNatures = NamesOf<Nature>({{Nature::kUnknown, "unknown"},
                                           {Nature::kMeasured, "measured"},
                                           {Nature::kForecast, "forecast"},
                                           {Nature::kModelled, "modelled"},
                                           {Nature::kTariff, "tariff"},
                                           {Nature::kSynthetic, "synthetic"}});
constexpr auto kBases =
    NamesOf<Basis>({{Basis::kUnknown, "unknown"}, {Basis::kLifecycle, "lifecycle"}, {Basis::kDirect, "direct"}});
constexpr auto kScopes =
    NamesOf<Scope>({{Scope::kUnknown, "unknown"}, {Scope::kAverage, "average"}, {Scope::kMarginal, "marginal"}});
constexpr auto kUnits = NamesOf<Unit>({{Unit::kGramsPerKwh, "g_per_kwh"},
                                       {Unit::kWatt, "w"},
                                       {Unit::kKilowatt, "kw"},
                                       {Unit::kMegawatt, "mw"},
                                       {Unit::kPerKwh, "per_kwh"},
                                       {Unit::kPerMwh, "per_mwh"},
                                       {Unit::kPerUnit, "per_unit"},
                                       {Unit::kPercent, "percent"},
                                       {Unit::kNone, "none"}});

constexpr const auto& WordsOf(Kind) { return kKinds; }
constexpr const auto& WordsOf(Nature) { return kNatures; }
constexpr const auto& WordsOf(Basis) { return kBases; }
constexpr const auto& WordsOf(Scope) { return kScopes; }
constexpr const auto& WordsOf(Unit) { return kUnits; }

}  // namespace

template <typename Enumeration>
std::string_view WordOf(Enumeration value) {
  return WordsOf(value).NameOf(value);
}

template <typename Enumeration>
std::optional<Enumeration> FromWord(std::string_view word) {
  return WordsOf(Enumeration{}).Find(word);
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
