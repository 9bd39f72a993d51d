#include "heliostat/ui/simulation_page/json_text.h"

#include <fmt/format.h>

#include <cmath>

namespace heliostat::simulation_page {

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string JsonNumber(double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0.0 ? "1e999" : "-1e999";  // JSON parsers read it as infinity
  return value == 0.0 ? "0" : fmt::format("{:.4g}", value);
}

std::string JsonNumbers(std::span<const double> values) {
  std::string list = "[";
  for (const double value : values) list += (list.size() > 1 ? "," : "") + JsonNumber(value);
  return list + "]";
}

}  // namespace heliostat::simulation_page
