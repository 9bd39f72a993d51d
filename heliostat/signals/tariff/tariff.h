#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/signals/tariff/window.h"

namespace heliostat::tariff {

// A rate up to an amount of energy or demand.
struct Tier {
  double rate = 0.0;            // per kWh of energy, or per kW of demand
  std::optional<double> up_to;  // in `unit`; absent for the last tier
  std::string unit = "kWh";     // some tariffs count per day or per kW of demand: "kWh daily", "kWh/kW"
};

// The price of energy in a window. `tiers` is never empty; a price series shows the first.
struct EnergyRate {
  Window when;
  std::vector<Tier> tiers;
};

// A charge on the highest power inside the windows during a billing period.
struct DemandCharge {
  std::string name;  // may be empty
  double per_kw = 0.0;
  std::vector<Window> when;
  std::string assessed = "monthly";
};

// A retail tariff as its file states it; plain data. calendar.h finds the rate at a time, expand.h makes a price
// series.
struct Tariff {
  std::string format;  // "urdb", "acn-tariff", "csv-tariff"
  std::string file;    // for messages
  std::string name;
  std::string utility;  // empty when unknown
  Currency currency = Currency::Usd();
  std::string time_zone;          // IANA name of the local clock; empty when unknown
  std::vector<EnergyRate> rates;  // they cover each hour of the year exactly once
  std::vector<DemandCharge> demand;
  std::optional<double> fixed_per_month;
  std::optional<Instant> effective_from;
  std::optional<Instant> effective_to;
  std::vector<std::string> notes;  // for users: assumptions and omissions
};

}  // namespace heliostat::tariff
