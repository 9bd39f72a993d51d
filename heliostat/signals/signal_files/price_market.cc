#include "heliostat/signals/signal_files/price_market.h"

#include <algorithm>
#include <array>

namespace heliostat::signal_files {
namespace {

constexpr std::array kMarkets{
    Market{"KR", "KPX mainland SMP", "KRW", "+09:00", true, false},
    Market{"DE-LU", "day-ahead", "EUR", "Europe/Berlin", true, false},
    Market{"US-CAL-CISO", "DAM LMP TH_NP15", "USD", "UTC", true, false},
    Market{"US-TEX-ERCO", "DAM SPP HB_HUBAVG", "USD", "America/Chicago", true, false},
    Market{"US-MIDA-PJM", "real-time LMP, DOM zone", "USD", "UTC", true, false},
    Market{"AU-NSW", "AEMO spot", "AUD", "+10:00", true, true},
    Market{"CA-ON", "IESO HOEP", "CAD", "-05:00", true, false},
    // The rest: the local clock of the market, not checked against a file.
    Market{"AT", "day-ahead", "EUR", "Europe/Vienna", false, false},
    Market{"AU-QLD", "AEMO spot", "AUD", "+10:00", false, true},
    Market{"AU-SA", "AEMO spot", "AUD", "+10:00", false, true},
    Market{"AU-TAS", "AEMO spot", "AUD", "+10:00", false, true},
    Market{"AU-VIC", "AEMO spot", "AUD", "+10:00", false, true},
    Market{"BE", "day-ahead", "EUR", "Europe/Brussels", false, false},
    Market{"CH", "day-ahead", "EUR", "Europe/Zurich", false, false},
    Market{"DE", "day-ahead", "EUR", "Europe/Berlin", false, false},
    Market{"ES", "day-ahead", "EUR", "Europe/Madrid", false, false},
    Market{"FR", "day-ahead", "EUR", "Europe/Paris", false, false},
    Market{"GB", "day-ahead", "GBP", "Europe/London", false, false},
    Market{"IN", "IEX day-ahead", "INR", "+05:30", false, false},
    Market{"IT", "day-ahead", "EUR", "Europe/Rome", false, false},
    Market{"JP-TK", "JEPX spot, Tokyo", "JPY", "+09:00", false, false},
    Market{"NL", "day-ahead", "EUR", "Europe/Amsterdam", false, false},
    Market{"PL", "day-ahead", "PLN", "Europe/Warsaw", false, false},
    Market{"PT", "day-ahead", "EUR", "Europe/Lisbon", false, false},
    Market{"SE", "day-ahead", "EUR", "Europe/Stockholm", false, false},
    Market{"SG", "USEP", "SGD", "+08:00", false, false},
    Market{"US-NY-NYIS", "LMP", "USD", "UTC", false, false},
    Market{"ZA", "Eskom tariff by hour", "ZAR", "Africa/Johannesburg", false, false},
};

}  // namespace

std::optional<Market> FindMarket(std::string_view zone) {
  const auto found = std::ranges::find(kMarkets, zone, &Market::zone);
  return found == kMarkets.end() ? std::nullopt : std::optional<Market>(*found);
}

}  // namespace heliostat::signal_files
