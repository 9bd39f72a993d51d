#include "heliostat/ui/report/escape.h"

#include <cstdint>

namespace heliostat::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length in bytes of the UTF-8 sequence at the start of `text`; 0 if it is not well-formed.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
  if (length == 0 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3FU);
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool is_forbidden = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return is_overlong || is_surrogate || is_forbidden ? 0 : length;
}

std::string_view EscapeOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool is_control = (first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7F;
    if (length == 0 || is_control) {
      escaped += kReplacement;
    } else if (const auto special = EscapeOf(text.front()); !special.empty()) {
      escaped += special;
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

std::string EscapeNumbers(std::string_view text) {
  if (text == "-") return "–";
  const std::string escaped = Escape(text);
  std::string set;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool begins = i == 0 || escaped[i - 1] == ' ' || escaped[i - 1] == '(';
    const bool is_number = i + 1 < escaped.size() && escaped[i + 1] >= '0' && escaped[i + 1] <= '9';
    if (begins && is_number && escaped[i] == '-') {
      set += "−";
    } else if (begins && escaped.compare(i, 3, ".. ") == 0) {
      set += "to ";
      i += 2;
    } else {
      set += escaped[i];
    }
  }
  return set;
}

std::string EscapeProse(std::string_view text) {
  std::string prose;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) return prose + EscapeNumbers(text);
    prose +=
        EscapeNumbers(text.substr(0, open)) + "<code>" + Escape(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
  return prose;
}

}  // namespace heliostat::report
