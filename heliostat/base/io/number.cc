#include "heliostat/base/io/number.h"

#include <charconv>
#include <cmath>

namespace heliostat::io {
namespace {

std::optional<double> ParseByLibrary(std::string_view text) {
  // from_chars refuses a plus sign and accepts "nan" and "inf"; a number here begins with a digit or a point.
  const bool is_signed = text.front() == '-' || text.front() == '+';
  const std::string_view digits = is_signed ? text.substr(1) : text;
  if (text.front() == '+') text = digits;
  if (digits.empty() || (digits.front() != '.' && (digits.front() < '0' || digits.front() > '9'))) return std::nullopt;
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

bool ParseAnyNumber(std::string_view text, double& value) {
  const auto number = ParseNumber(text);
  value = number.value_or(0);
  return number.has_value();
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = *at == '-';
  if (negative || *at == '+') ++at;

  const char* const first = at;
  std::uint64_t mantissa = 0;
  unsigned digit = 0;
  while (at != end && (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10)
    mantissa = mantissa * 10 + digit, ++at;
  std::ptrdiff_t digits = at - first;
  std::ptrdiff_t decimals = 0;
  if (at != end && *at == '.') {
    const char* const point = ++at;
    while (at != end && (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10)
      mantissa = mantissa * 10 + digit, ++at;
    decimals = at - point;
    digits += decimals;
  }
  constexpr std::uint64_t kExactMantissa = std::uint64_t{1} << 53;
  if (at != end || digits == 0 || digits > 19 || mantissa > kExactMantissa) return ParseByLibrary(text);
  const double value = static_cast<double>(mantissa) / kExactPowersOfTen[static_cast<std::size_t>(decimals)];
  return negative ? -value : value;
}

}  // namespace heliostat::io
