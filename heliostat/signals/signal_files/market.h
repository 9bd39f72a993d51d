#pragma once

#include <optional>
#include <string_view>

namespace heliostat::signal_files {

// What is known of a price area: in what money it settles and on which clock
// its published hours stand.
struct Market {
  std::string_view zone;
  std::string_view name;
  std::string_view currency;
  std::string_view clock;  // of raw price files: an IANA name, an offset, "UTC"
  bool clock_is_verified;  // against the market's own extremes; else the operator's custom
  bool has_month_seams;    // made from monthly files that repeat the first hour of a month
};

// The market of a zone code such as "DE-LU", or nothing.
std::optional<Market> FindMarket(std::string_view zone);

}  // namespace heliostat::signal_files
