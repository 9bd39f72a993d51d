#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/meaning.h"

namespace heliostat::signal {

// A unit as a header or a user writes it, and how its values become values of `unit`. A plain value type.
struct UnitReading {
  Kind kind = Kind::kOther;
  Unit unit = Unit::kNone;
  double factor = 1.0;                 // from the written unit to `unit`: 0.45359237 for lb/MWh, 0.01 for ct/kWh
  bool is_energy_per_step = false;     // kWh or MWh of each step: divide by its hours to get power
  std::optional<Currency> currency{};  // for a price, when the text names it
  bool has_assumed_currency = false;   // a bare "$" or "¥"
  std::string text{};                  // in plain letters: "EUR/MWh", "lb/MWh", "ct/kWh"
};

// The unit that a column name contains: "price_eur_per_mwh", "Price [€/MWh]", "carbon_lb_per_mwh", "LBMP ($/MWHr)",
// "Wind [MW]". std::nullopt when it contains none, or only a part such as "carbon per kWh".
std::optional<UnitReading> UnitInName(std::string_view name);

// The same for a column of a canonical file, whose name may also end in a unit alone ("x_per_kwh").
std::optional<UnitReading> UnitOfColumn(std::string_view name);

// The unit that a user wrote, such as "EUR/MWh", "ct/kWh", "lb/MWh" or "kW". kInvalidArgument for any other text; the
// error names `where`.
Result<UnitReading> ParseUnit(std::string_view text, std::string_view where);

// The quantity that the words of a column name suggest ("spot price", "CO2"), without a unit. kOther when none does.
Kind KindInName(std::string_view name);

// A second opinion: the unit that `cells`, as written in the file, look like, when they cannot be in the unit of
// `reading`: "EUR/MWh" for prices around 80 that claim to be per kWh. Empty when the unit is plausible or when there
// are too few cells to tell. `currency` is that of the price; without it the check assumes one near the euro.
std::string UnitItLooksLike(const UnitReading& reading, const std::optional<Currency>& currency,
                            std::span<const double> cells);

}  // namespace heliostat::signal
