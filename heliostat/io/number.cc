#include "heliostat/io/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace heliostat::io {
namespace {

// Powers of ten that a double holds exactly: with a mantissa below 2^53 one
// multiplication or division by them is correctly rounded (Clinger's fast path).
constexpr std::array kExactPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

std::optional<double> ParseByLibrary(std::string_view text) {
  // from_chars knows no plus sign, and takes "nan" and "inf": a number here begins with a digit or a point.
  const bool is_signed = text.front() == '-' || text.front() == '+';
  const std::string_view digits = is_signed ? text.substr(1) : text;
  if (text.front() == '+') text = digits;
  if (digits.empty() || (digits.front() != '.' && (digits.front() < '0' || digits.front() > '9'))) return std::nullopt;
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

constexpr std::uint64_t EachByte(std::uint64_t byte) { return 0x0101010101010101ULL * byte; }

// Eight ASCII digits, the first in the lowest byte, as a number: pairs, then
// fours, then all eight, each by one multiplication.
std::uint64_t EightDigits(std::uint64_t text) {
  text = ((text & EachByte(0x0F)) * 2561) >> 8;
  text = ((text & 0x00FF00FF00FF00FFULL) * 6553601) >> 16;
  return ((text & 0x0000FFFF0000FFFFULL) * 42949672960001ULL) >> 32;
}

bool ParseAny(std::string_view text, double& value) {
  const auto number = ParseNumber(text);
  value = number.value_or(0);
  return number.has_value();
}

bool AreDigits(std::uint64_t text) {
  return (((text & EachByte(0xF0)) ^ EachByte(0x30)) | (((text + EachByte(0x06)) & EachByte(0xF0)) ^ EachByte(0x30))) ==
         0;
}

}  // namespace

bool ParseNumberBefore(const char* end, std::size_t size, double& value) {
  const std::string_view text(end - size, size);
  if (std::endian::native != std::endian::little || size == 0 || size > 8) return ParseAny(text, value);
  const bool negative = text.front() == '-';
  const std::size_t length = size - (negative ? 1 : 0);
  if (length == 0) return false;

  // The text in the upper bytes, '0' in those before it.
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, end - 8, 8);
  const std::uint64_t kept = ~std::uint64_t{0} << (8 * (8 - length));
  bytes = (bytes & kept) | (EachByte('0') & ~kept);

  // A decimal point is taken out by moving what stands before it up by one byte.
  const std::uint64_t unlike_point = bytes ^ EachByte('.');
  const std::uint64_t points = (unlike_point - EachByte(1)) & ~unlike_point & EachByte(0x80);
  const bool has_point = points != 0;
  const auto point = static_cast<unsigned>(std::countr_zero(points | (std::uint64_t{1} << 63))) / 8;
  const std::uint64_t before = (std::uint64_t{1} << (8 * point)) - 1;
  const std::uint64_t joined = (bytes & ~((before << 8) | 0xFF)) | ((bytes & before) << 8) | '0';
  bytes = has_point ? joined : bytes;
  const std::size_t decimals = has_point ? 7 - point : 0;

  if (!AreDigits(bytes) || (has_point && length == 1)) return ParseAny(text, value);
  const double magnitude = static_cast<double>(EightDigits(bytes)) / kExactPowers[decimals];
  value = negative ? -magnitude : magnitude;
  return true;
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
  const double value = static_cast<double>(mantissa) / kExactPowers[static_cast<std::size_t>(decimals)];
  return negative ? -value : value;
}

std::optional<std::int32_t> ParseInteger(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::int32_t value = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    value = value * 10 + static_cast<std::int32_t>(digit);
  }
  return negative ? -value : value;
}

}  // namespace heliostat::io
