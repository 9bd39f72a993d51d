#include "heliostat/signal/meaning.h"

#include <fmt/format.h>

#include <array>

namespace heliostat::signal {
namespace {

struct CanonicalName {
  std::string_view suffix;
  Kind kind;
  Unit unit;
};
// Longest first where one ends in another.
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

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kCarbonIntensity:
      return "carbon intensity";
    case Kind::kPower:
      return "power";
    case Kind::kPrice:
      return "price";
    case Kind::kCapacityFactor:
      return "capacity factor";
    case Kind::kShare:
      return "share";
    case Kind::kOther:
      return "other";
  }
  return "other";
}

std::string_view NameOf(Nature nature) {
  switch (nature) {
    case Nature::kUnknown:
      return "unknown";
    case Nature::kMeasured:
      return "measured";
    case Nature::kForecast:
      return "forecast";
    case Nature::kModelled:
      return "modelled";
    case Nature::kTariff:
      return "tariff";
    case Nature::kSynthetic:
      return "synthetic";
  }
  return "unknown";
}

std::string_view NameOf(Basis basis) {
  switch (basis) {
    case Basis::kUnknown:
      return "unknown";
    case Basis::kLifecycle:
      return "lifecycle";
    case Basis::kDirect:
      return "direct";
  }
  return "unknown";
}

std::string_view NameOf(Scope scope) {
  switch (scope) {
    case Scope::kUnknown:
      return "unknown";
    case Scope::kAverage:
      return "average";
    case Scope::kMarginal:
      return "marginal";
  }
  return "unknown";
}

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
