#include "heliostat/base/core/error.h"

#include <fmt/format.h>

namespace heliostat {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t Utf8Length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  if (length == 1) return length;
  const auto second = static_cast<unsigned char>(text[1]);
  // C1 controls (U+0080 to U+009F) control terminals as ESC does.
  if (lead == 0xC2 && second < 0xA0) return 0;
  // Refuses overlong forms, which can encode any control character, halves of surrogate pairs, and values over
  // U+10FFFF.
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90)) return 0;
  if ((lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90)) return 0;
  return length;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t limit) {
  std::string safe;
  while (!text.empty()) {
    if (safe.size() >= limit) return safe + "…";
    const std::size_t length = Utf8Length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
    } else {
      safe += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return safe;
}

std::string Error::Line() const {
  std::string line = where.empty() ? std::string() : Printable(where, 400) + ": ";
  line += Printable(what, 600);
  if (!allowed.empty()) line += "; " + Printable(allowed, 600);
  return line;
}

int ExitStatus(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kCorrupt:
    case ErrorCode::kUnsupported:
    case ErrorCode::kPermissionDenied:
      return 2;
    case ErrorCode::kInfeasible:
      return 3;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      return 1;
  }
  return 1;
}

}  // namespace heliostat
