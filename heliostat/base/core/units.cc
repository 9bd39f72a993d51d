#include "heliostat/base/core/units.h"

#include <algorithm>

namespace heliostat {

std::optional<Currency> Currency::Parse(std::string_view code) {
  const bool is_code = code.size() == 3 && std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_code) return std::nullopt;
  return Currency({code[0], code[1], code[2]});
}

}  // namespace heliostat
