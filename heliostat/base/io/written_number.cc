#include "heliostat/base/io/written_number.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::io {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string_view UnitBehind(std::string_view cell) {
  cell = Trimmed(cell);
  const auto last = cell.find_last_of("0123456789.,");
  if (last == std::string_view::npos || last + 1 == cell.size() || cell.size() - last > 20) return {};
  const std::string_view unit = Trimmed(cell.substr(last + 1));
  const std::string_view number = Trimmed(cell.substr(0, last + 1));
  const bool is_number =
      ParseWrittenNumber(number, DecimalMark::kPoint) || ParseWrittenNumber(number, DecimalMark::kComma);
  return is_number ? unit : std::string_view();
}

bool IsMissingMark(std::string_view text) {
  constexpr std::array<std::string_view, 11> kMarks{"",    "-",    "--",   "n/a", "na",  "n.a.",
                                                    "nan", "null", "none", "n/e", "#n/a"};
  text = Trimmed(text);
  return text.size() <= 4 && std::ranges::find(kMarks, Lower(text)) != kMarks.end();
}

std::optional<double> ParseWrittenNumber(std::string_view text, DecimalMark mark) {
  text = Trimmed(text);
  if (const auto plain = ParseNumber(text); plain && mark != DecimalMark::kComma) return plain;
  const char point = mark == DecimalMark::kComma ? ',' : '.';
  const char group = mark == DecimalMark::kComma ? '.' : ',';
  std::string digits;
  std::size_t since_group = 0;
  bool has_groups = false;
  bool has_point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Blanks between thousands: plain, no-break (C2 A0) and narrow no-break (E2 80 AF).
    const std::size_t blank = c == ' ' || c == '\'' || c == group          ? 1
                              : text.substr(i).starts_with("\xC2\xA0")     ? 2
                              : text.substr(i).starts_with("\xE2\x80\xAF") ? 3
                                                                           : 0;
    if (blank > 0) {
      const bool is_first_of_three = has_groups ? since_group == 3 : since_group >= 1 && since_group <= 3;
      if (has_point || !is_first_of_three) return std::nullopt;
      has_groups = true;
      since_group = 0;
      i += blank - 1;
    } else if (c == point) {
      if (has_point || (has_groups && since_group != 3)) return std::nullopt;
      has_point = true;
      digits += '.';
    } else {
      if (IsDigit(c) && !has_point) ++since_group;
      digits += c == '+' && i == 0 ? "" : std::string(1, c);
    }
  }
  if (has_groups && !has_point && since_group != 3) return std::nullopt;
  return ParseNumber(digits);
}

void DecimalEvidence::Add(std::string_view cell) {
  cell = Trimmed(cell);
  const auto comma = cell.rfind(',');
  const auto point = cell.rfind('.');
  if (comma == std::string_view::npos && point == std::string_view::npos) return;
  has_comma_ |= comma != std::string_view::npos;
  const bool may_be_comma = ParseWrittenNumber(cell, DecimalMark::kComma).has_value();
  const bool may_be_point = ParseWrittenNumber(cell, DecimalMark::kPoint).has_value();
  if (may_be_comma && may_be_point) {
    // "0.123" has no thousands.
    const bool is_below_one = cell.starts_with("0") || cell.starts_with("-0");
    is_point_ |= is_below_one && comma == std::string_view::npos;
    is_comma_ |= is_below_one && point == std::string_view::npos;
    may_be_either_ |= !is_below_one;
  } else {
    is_comma_ |= may_be_comma;
    is_point_ |= may_be_point;
  }
}

DecimalMark DecimalEvidence::Decide(char delimiter) const {
  if (is_comma_ != is_point_) return is_comma_ ? DecimalMark::kComma : DecimalMark::kPoint;
  if (!has_comma_ && delimiter != ';') return DecimalMark::kPoint;
  return is_comma_ || may_be_either_ ? DecimalMark::kUnknown : DecimalMark::kPoint;
}

}  // namespace heliostat::io
