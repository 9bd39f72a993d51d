#include "heliostat/signals/signal/meaning.h"

#include <fmt/format.h>

#include <array>

#include "heliostat/base/core/names.h"

namespace heliostat::signal {
namespace {

constexpr auto kKinds = NamesOf<Kind>({{Kind::kCarbonIntensity, "carbon intensity"},
                                       {Kind::kPower, "power"},
                                       {Kind::kPrice, "price"},
                                       {Kind::kCapacityFactor, "capacity factor"},
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

struct CanonicalName {
  std::string_view suffix;
  Kind kind;
  Unit unit;
};
// A suffix comes after the longer ones that end in it.
constexpr std::array kCanonicalNames{
    CanonicalName{"carbon_g_per_kwh", Kind::kCarbonIntensity, Unit::kGramsPerKwh},
    CanonicalName{"g_per_kwh", Kind::kCarbonIntensity, Unit::kGramsPerKwh},
    CanonicalName{"renewable_kw", Kind::kPower, Unit::kKilowatt},
    CanonicalName{"price_per_kwh", Kind::kPrice, Unit::kPerKwh},
    CanonicalName{"per_kwh", Kind::kPrice, Unit::kPerKwh},
    CanonicalName{"capacity_factor", Kind::kCapacityFactor, Unit::kPerUnit},
    CanonicalName{"share_percent", Kind::kShare, Unit::kPercent},
    CanonicalName{"percent", Kind::kShare, Unit::kPercent},
    CanonicalName{"mw", Kind::kPower, Unit::kMegawatt},
    CanonicalName{"kw", Kind::kPower, Unit::kKilowatt},
    CanonicalName{"w", Kind::kPower, Unit::kWatt},
};

bool EndsInWord(std::string_view name, std::string_view word) {
  return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == '_');
}

}  // namespace

std::string_view NameOf(Kind kind) { return kKinds.NameOf(kind); }

std::string_view NameOf(Nature nature) { return kNatures.NameOf(nature); }

std::string_view NameOf(Basis basis) { return kBases.NameOf(basis); }

std::string_view NameOf(Scope scope) { return kScopes.NameOf(scope); }

std::string UnitText(const Meaning& meaning) {
  const std::string_view money = meaning.currency ? meaning.currency->code() : "?";
  switch (meaning.unit) {
    case Unit::kGramsPerKwh:
      return "gCO2e/kWh";
    case Unit::kWatt:
      return "W";
    case Unit::kKilowatt:
      return "kW";
    case Unit::kMegawatt:
      return "MW";
    case Unit::kPerKwh:
      return fmt::format("{}/kWh", money);
    case Unit::kPerMwh:
      return fmt::format("{}/MWh", money);
    case Unit::kPerUnit:
      return "per unit";
    case Unit::kPercent:
      return "%";
    case Unit::kNone:
      return "none";
  }
  return "none";
}

CanonicalUnit ToCanonical(Kind kind, Unit unit) {
  switch (kind) {
    case Kind::kCarbonIntensity:
      return {Unit::kGramsPerKwh, 1.0, "carbon_g_per_kwh"};
    case Kind::kPower:
      return {Unit::kKilowatt, unit == Unit::kMegawatt ? 1e3 : unit == Unit::kWatt ? 1e-3 : 1.0, "renewable_kw"};
    case Kind::kPrice:
      return {Unit::kPerKwh, unit == Unit::kPerMwh ? 1e-3 : 1.0, "price_per_kwh"};
    case Kind::kCapacityFactor:
      return {Unit::kPerUnit, 1.0, "capacity_factor"};
    case Kind::kShare:
      return {Unit::kPercent, 1.0, "share_percent"};
    case Kind::kOther:
      break;
  }
  return {unit, 1.0, "value"};
}

Meaning MeaningOfCanonicalName(std::string_view column) {
  Meaning meaning;
  for (const auto& known : kCanonicalNames) {
    if (!EndsInWord(column, known.suffix)) continue;
    meaning.kind = known.kind;
    meaning.unit = known.unit;
    break;
  }
  return meaning;
}

bool MustNotBeNegative(Kind kind) { return kind != Kind::kPrice && kind != Kind::kOther; }

}  // namespace heliostat::signal
