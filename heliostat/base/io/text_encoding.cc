#include "heliostat/base/io/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace heliostat::io {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";
constexpr std::size_t kSample = 4096;

// The characters of Windows-1252 from 0x80 to 0x9F; Latin-1 has control characters there.
constexpr std::array<char16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

unsigned ByteAt(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

void AppendUtf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The length of the UTF-8 character at `i`; 0 when there is none.
std::size_t CharacterAt(std::string_view bytes, std::size_t i) {
  const unsigned first = ByteAt(bytes, i);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first >= 0x80 && (first < 0xC2 || first >= 0xF5)) return 0;
  if (i + length > bytes.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((ByteAt(bytes, i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = CharacterAt(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string FromUtf16(std::string_view bytes, bool is_big) {
  std::string text;
  text.reserve(bytes.size() / 2);
  const auto unit_at = [&](std::size_t i) {
    return is_big ? ByteAt(bytes, i) << 8 | ByteAt(bytes, i + 1) : ByteAt(bytes, i + 1) << 8 | ByteAt(bytes, i);
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit_at(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size()) {
      const std::uint32_t low = unit_at(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    AppendUtf8(text, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
  }
  return text;
}

// The byte order of UTF-16 without a mark: text of western languages has a NUL in almost every second place.
std::optional<bool> IsBigUtf16(std::string_view bytes) {
  const std::string_view sample = bytes.substr(0, kSample);
  std::array<std::size_t, 2> nulls{};
  for (std::size_t i = 0; i < sample.size(); ++i) nulls[i % 2] += sample[i] == '\0' ? 1 : 0;
  const std::size_t half = sample.size() / 2;
  if (half < 4) return std::nullopt;
  if (nulls[0] * 10 > half * 9 && nulls[1] * 10 < half) return true;
  if (nulls[1] * 10 > half * 9 && nulls[0] * 10 < half) return false;
  return std::nullopt;
}

}  // namespace

bool IsPlainUtf8(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) return false;
  unsigned char any = 0;
  for (const char c : bytes) any |= static_cast<unsigned char>(c);
  return any < 0x80 ? !IsBigUtf16(bytes).has_value() : IsUtf8(bytes) && !IsBigUtf16(bytes).has_value();
}

DecodedText DecodeText(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) return {std::string(bytes.substr(kUtf8Mark.size())), "UTF-8"};
  if (bytes.starts_with(kLittleMark)) return {FromUtf16(bytes.substr(2), false), "UTF-16"};
  if (bytes.starts_with(kBigMark)) return {FromUtf16(bytes.substr(2), true), "UTF-16"};
  if (const auto is_big = IsBigUtf16(bytes)) return {FromUtf16(bytes, *is_big), "UTF-16"};
  if (IsUtf8(bytes)) return {std::string(bytes), "UTF-8"};
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 16);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    AppendUtf8(text, byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : byte);
  }
  return {std::move(text), "Windows-1252"};
}

bool IsBinary(std::string_view first_bytes) {
  if (first_bytes.find('\0') == std::string_view::npos) return false;
  if (first_bytes.starts_with(kLittleMark) || first_bytes.starts_with(kBigMark)) return false;
  return !IsBigUtf16(first_bytes).has_value();
}

}  // namespace heliostat::io
