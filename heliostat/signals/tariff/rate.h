#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::tariff {

// Money per kWh or per kW that can be meant: finite and below a million, so that sums stay exact.
Result<double> CheckedRate(double rate, const std::string& where);

// A member that must be a number and a rate.
Result<double> RateMember(const io::Json& object, std::string_view key);
// The same, or 0 when it is absent.
Result<double> RateMemberOrZero(const io::Json& object, std::string_view key);
// Text, or nothing when absent.
Result<std::string> TextOrEmpty(const io::Json& object, std::string_view key);

}  // namespace heliostat::tariff
