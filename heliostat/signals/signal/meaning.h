#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"

namespace heliostat::signal {

// What is measured.
enum class Kind {
  kCarbonIntensity,  // emissions of a unit of grid energy
  kPower,            // of a plant, a source or a fleet
  kPrice,            // of energy
  kCapacityFactor,   // power as a share of what is installed
  kShare,            // of generation, in percent
  kOther,
};
// How a number came to be.
enum class Nature { kUnknown, kMeasured, kForecast, kModelled, kTariff, kSynthetic };
// What a carbon intensity counts: the whole life of a plant, or its stack alone.
enum class Basis { kUnknown, kLifecycle, kDirect };
// Which plants answer: all that run, or the one that would follow the load.
enum class Scope { kUnknown, kAverage, kMarginal };

enum class Unit { kGramsPerKwh, kWatt, kKilowatt, kMegawatt, kPerKwh, kPerMwh, kPerUnit, kPercent, kNone };

// What a column of a file means. Travels with the series, so that a life-cycle
// intensity is never compared with a direct one, nor a forecast with a
// measurement, without somebody seeing it.
struct Meaning {
  Kind kind = Kind::kOther;
  Unit unit = Unit::kNone;
  std::string zone;    // "DE-LU", "MISO_MASON_CITY"; empty when the file does not say
  std::string source;  // who published it: "CarbonCast", "provider:neso"
  // The clock of the file before it was turned into UTC, and what its labels
  // mark: "Europe/Berlin", "UTC+10:00, interval ending".
  std::string time_base = "UTC";
  Nature nature = Nature::kUnknown;
  Basis basis = Basis::kUnknown;
  Scope scope = Scope::kUnknown;
  std::optional<Duration> lead;      // of a forecast: how long before the value's time it was issued
  std::optional<Currency> currency;  // of a price
  std::vector<std::string> notes;    // what a reader must know: a header that lies, an assumption made
};

// Words as they stand in reports and JSON.
std::string_view NameOf(Kind kind);
std::string_view NameOf(Nature nature);
std::string_view NameOf(Basis basis);
std::string_view NameOf(Scope scope);
// "gCO2e/kWh", "MW", "EUR/MWh".
std::string UnitText(const Meaning& meaning);

// The unit that canonical files and Heliostat's own reports use for a kind, and
// the factor that leads there: MW -> kW, EUR/MWh -> EUR/kWh.
struct CanonicalUnit {
  Unit unit;
  double factor;
  std::string_view column;  // "carbon_g_per_kwh"
};
CanonicalUnit ToCanonical(Kind kind, Unit unit);

// What a column name of a canonical file says: "carbon_g_per_kwh" and names
// that end in a known unit ("wind_kw", "DE_carbon_g_per_kwh"). kOther otherwise.
Meaning MeaningOfCanonicalName(std::string_view column);

// Values below zero that cannot be: everything but prices and kOther.
bool MustNotBeNegative(Kind kind);

}  // namespace heliostat::signal
