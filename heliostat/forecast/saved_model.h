#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "heliostat/core/error.h"
#include "heliostat/io/json.h"

namespace heliostat::forecast {

// A saved model begins with its name; ExpectModel refuses that of another.
io::Json SaveModel(std::string_view name);
Status ExpectModel(const io::Json& saved, std::string_view name);

// An array of numbers in a saved model; reads back bit for bit.
io::Json SaveNumbers(std::span<const double> numbers);
// The array under `key`; an error that names the place when it is none, or holds
// anything but numbers.
Result<std::vector<double>> LoadNumbers(const io::Json& saved, std::string_view key);
// The one number under `key`.
Result<double> LoadNumber(const io::Json& saved, std::string_view key);

}  // namespace heliostat::forecast
