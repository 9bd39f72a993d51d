#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"

namespace heliostat::signal {

// The quantity of a signal.
enum class Kind {
  kCarbonIntensity,  // emissions per unit of grid energy
  kPower,            // of a plant, a source or a fleet
  kPrice,            // of energy
  kCapacityFactor,   // power as a share of the installed capacity
  kShare,            // of generation, in percent
  kOther,
};
// The origin of the values.
enum class Nature { kUnknown, kMeasured, kForecast, kModelled, kTariff, kSynthetic };
// What a carbon intensity counts: the whole life of a plant, or its direct emissions only.
enum class Basis { kUnknown, kLifecycle, kDirect };
// Which plants a carbon intensity describes: all that run, or the one that would follow a change of load.
enum class Scope { kUnknown, kAverage, kMarginal };

// The unit of the values; kPerKwh and kPerMwh are money per energy.
enum class Unit { kGramsPerKwh, kWatt, kKilowatt, kMegawatt, kPerKwh, kPerMwh, kPerUnit, kPercent, kNone };

// What the values of a series mean. It travels with the series, so that a life-cycle intensity is not compared with a
// direct one, or a forecast with a measurement, without notice.
struct Meaning {
  Kind kind = Kind::kOther;
  Unit unit = Unit::kNone;
  std::string zone;    // "DE-LU", "MISO_MASON_CITY"; empty when unknown
  std::string source;  // the publisher: "CarbonCast", "provider:neso"
  // The clock of the file before conversion to UTC, and what its labels mark: "Europe/Berlin", "UTC+10:00, interval
  // ending".
  std::string time_base = "UTC";
  Nature nature = Nature::kUnknown;
  Basis basis = Basis::kUnknown;
  Scope scope = Scope::kUnknown;
  std::optional<Duration> lead;      // for a forecast: time from its issue to the value
  std::optional<Currency> currency;  // for a price
  std::vector<std::string> notes;    // for users: a wrong header, an assumption
};

// The names in reports and JSON.
std::string_view NameOf(Kind kind);
std::string_view NameOf(Nature nature);
std::string_view NameOf(Basis basis);
std::string_view NameOf(Scope scope);
// The unit as text: "gCO2e/kWh", "MW", "EUR/MWh". "?" stands for an unknown currency.
std::string UnitText(const Meaning& meaning);

// The unit of a kind in canonical files and reports, and the factor that converts to it: MW -> kW, EUR/MWh -> EUR/kWh.
struct CanonicalUnit {
  Unit unit;
  double factor;
  std::string_view column;  // "carbon_g_per_kwh"
};
CanonicalUnit ToCanonical(Kind kind, Unit unit);

// The meaning of a column name of a canonical file: "carbon_g_per_kwh" and names that end in a known unit ("wind_kw",
// "DE_carbon_g_per_kwh"). Kind and unit only; kOther for other names.
Meaning MeaningOfCanonicalName(std::string_view column);

// True for all kinds except prices and kOther.
bool MustNotBeNegative(Kind kind);

}  // namespace heliostat::signal
