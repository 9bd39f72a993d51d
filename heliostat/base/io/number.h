#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace heliostat::io {

// Reads the whole of `text` as a finite decimal number, correctly rounded. std::nullopt for "nan", "inf", hexadecimal,
// blanks and thousands separators.
std::optional<double> ParseNumber(std::string_view text);

// The same without std::optional, whose transfer through memory in two pieces costs more than a short number. Returns
// false and sets `value` to 0 when `text` is not a number.
bool ParseAnyNumber(std::string_view text, double& value);

// Reads the whole of `text` as an integer of at most nine digits, enough for the dates, periods and counts in files.
// Accepts a minus sign but no plus sign.
inline std::optional<std::int32_t> ParseInteger(std::string_view text) {
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

// Powers of ten that a double holds exactly: one division of a mantissa below 2^53 by them is correctly rounded
// (Clinger's fast path).
inline constexpr std::array kExactPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// ParseNumber() for the `size` bytes before `end`. The caller guarantees that eight bytes before `end` may be read.
// Computes short numbers in one register without a branch per digit; large files spend most of their reading time here.
inline bool ParseNumberBefore(const char* end, std::size_t size, double& value) {
  constexpr std::uint64_t kEach = 0x0101010101010101ULL;  // a byte times this repeats the byte eight times
  const std::string_view text(end - size, size);
  if (std::endian::native != std::endian::little || size - 1 > 7) return ParseAnyNumber(text, value);
  const bool negative = text.front() == '-';
  const std::size_t length = size - (negative ? 1 : 0);
  if (length == 0) return false;

  // The text in the upper bytes, '0' in the bytes before it.
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, end - 8, 8);
  const std::uint64_t kept = ~std::uint64_t{0} << (64 - 8 * length);
  bytes = ((bytes ^ (kEach * '0')) & kept) ^ (kEach * '0');

  // Removes a decimal point: moves the digits before it up by one byte.
  const std::uint64_t unlike_point = bytes ^ (kEach * '.');
  const std::uint64_t points = (unlike_point - kEach) & ~unlike_point & (kEach * 0x80);
  std::size_t decimals = 0;
  if (points != 0) {
    const auto point = static_cast<unsigned>(std::countr_zero(points)) & ~7U;  // the position of its first bit
    const std::uint64_t before = (std::uint64_t{1} << point) - 1;
    bytes = (bytes & (~std::uint64_t{0xFF} - (before << 8))) | ((bytes & before) << 8) | '0';
    decimals = 7 - point / 8;
    if (length == 1) return false;
  }
  // Digits are 0x30 to 0x39: adding 6 to one stays below 0x40.
  const std::uint64_t digits = bytes ^ (kEach * '0');
  if (((digits | (digits + kEach * 6)) & (kEach * 0xF0)) != 0) return ParseAnyNumber(text, value);
  // Combines digits to pairs, fours and eight, each step with one multiplication.
  std::uint64_t number = (digits * 2561) >> 8;
  number = ((number & 0x00FF00FF00FF00FFULL) * 6553601) >> 16;
  number = ((number & 0x0000FFFF0000FFFFULL) * 42949672960001ULL) >> 32;
  const double magnitude = static_cast<double>(static_cast<std::int64_t>(number)) / kExactPowersOfTen[decimals];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace heliostat::io
