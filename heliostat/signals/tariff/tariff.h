#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/signals/tariff/window.h"

namespace heliostat::tariff {

// A rate up to an amount of what it is charged for.
struct Tier {
  double rate = 0.0;            // per kWh of energy, or per kW of demand
  std::optional<double> up_to;  // in `unit`; absent for the last
  std::string unit = "kWh";     // some tariffs count per day or per kW of demand: "kWh daily", "kWh/kW"
};

// The price of energy in a window. Never empty; the first tier is what a series shows.
struct EnergyRate {
  Window when;
  std::vector<Tier> tiers;
};

// Money for the highest power drawn inside the windows during a billing period.
struct DemandCharge {
  std::string name;  // may be empty
  double per_kw = 0.0;
  std::vector<Window> when;
  std::string assessed = "monthly";
};

// A retail contract: what a utility charges, as its file says it. Plain facts;
// calendar.h answers which rate holds when, expand.h makes a price series.
struct Tariff {
  std::string format;  // "urdb", "acn-tariff", "csv-tariff"
  std::string file;    // for messages
  std::string name;
  std::string utility;  // empty when nothing says
  Currency currency = Currency::Usd();
  std::string time_zone;          // IANA name of the local clock; empty when unknown
  std::vector<EnergyRate> rates;  // together they cover each hour of the year once
  std::vector<DemandCharge> demand;
  std::optional<double> fixed_per_month;
  std::optional<Instant> effective_from;
  std::optional<Instant> effective_to;
  std::vector<std::string> notes;  // what a reader must know: an assumption, something left out
};

}  // namespace heliostat::tariff
