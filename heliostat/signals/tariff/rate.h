#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"

namespace heliostat::tariff {

// Returns `rate`, in money per kWh or per kW, if its magnitude is below a million; else kInvalidArgument. NaN is
// refused.
Result<double> CheckedRate(double rate, const std::string& where);

// The number under `key`, checked as a rate; an error when it is absent.
Result<double> RateMember(const io::Json& object, std::string_view key);
// The same; 0 when it is absent.
Result<double> RateMemberOrZero(const io::Json& object, std::string_view key);
// The text under `key`; empty when it is absent.
Result<std::string> TextOrEmpty(const io::Json& object, std::string_view key);

}  // namespace heliostat::tariff
