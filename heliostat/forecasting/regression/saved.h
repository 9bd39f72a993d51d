#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"

namespace heliostat::regression {

// The begin of a saved model, which contains its name. ExpectModel() refuses a model with another name.
io::Json SaveModel(std::string_view name);
Status ExpectModel(const io::Json& saved, std::string_view name);

// A list of numbers as one JSON text, base64 of little-endian doubles: models have hundreds of thousands of numbers,
// which must be restored exactly.
io::Json SaveNumbers(std::span<const double> numbers);
// The list under `key`; refuses a text that SaveNumbers() did not write, and NaN and infinity.
Result<std::vector<double>> LoadNumbers(const io::Json& saved, std::string_view key);

// The member under `key` as the named type; kInvalidArgument when it is absent or of another type.
Result<double> LoadNumber(const io::Json& saved, std::string_view key);
Result<std::int64_t> LoadInteger(const io::Json& saved, std::string_view key);
Result<bool> LoadBoolean(const io::Json& saved, std::string_view key);
Result<std::string> LoadText(const io::Json& saved, std::string_view key);

}  // namespace heliostat::regression
