#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"

namespace heliostat::regression {

// A saved model begins with its name; ExpectModel refuses that of another.
io::Json SaveModel(std::string_view name);
Status ExpectModel(const io::Json& saved, std::string_view name);

// A list of numbers as one JSON text, base64 of little-endian doubles: models
// hold hundreds of thousands, and they must come back bit for bit.
io::Json SaveNumbers(std::span<const double> numbers);
// The list under `key`; refuses what is not one or holds NaN or infinity.
Result<std::vector<double>> LoadNumbers(const io::Json& saved, std::string_view key);

// The member under `key` as what it must be.
Result<double> LoadNumber(const io::Json& saved, std::string_view key);
Result<std::int64_t> LoadInteger(const io::Json& saved, std::string_view key);
Result<bool> LoadBoolean(const io::Json& saved, std::string_view key);
Result<std::string> LoadText(const io::Json& saved, std::string_view key);

}  // namespace heliostat::regression
