#pragma once

#include <optional>
#include <string_view>

namespace heliostat::signal_files {

// Facts about a price area: its currency and the clock of its published hours.
struct Market {
  std::string_view zone;
  std::string_view name;
  std::string_view currency;
  std::string_view clock;  // of raw price files: an IANA name, an offset, "UTC"
  bool clock_is_verified;  // checked against extreme prices of the market; else assumed
  bool has_month_seams;    // joined from monthly files, which repeat the first hour of a month
};

// The market of a zone code such as "DE-LU"; std::nullopt when it is not known.
std::optional<Market> FindMarket(std::string_view zone);

}  // namespace heliostat::signal_files
