#pragma once

#include <string>
#include <string_view>

namespace heliostat::io {

// A text in UTF-8, and the encoding it came from. A plain value type.
struct DecodedText {
  std::string text;           // without a byte order mark
  std::string_view encoding;  // "UTF-8", "UTF-16" or "Windows-1252"
};

// True for bytes that are UTF-8 (plain ASCII too) without a byte order mark: they need no decoding.
bool IsPlainUtf8(std::string_view bytes);

// Decodes a text of a spreadsheet or a database. A byte order mark decides; without one, NUL bytes in every second
// place mean UTF-16, and bytes that are not UTF-8 mean Windows-1252, a superset of Latin-1. Never fails: bytes that are
// not text stay recognisable as such, by their NULs.
DecodedText DecodeText(std::string_view bytes);

// True when the first bytes of a file cannot be text of any encoding: they have NUL bytes and are not UTF-16.
bool IsBinary(std::string_view first_bytes);

}  // namespace heliostat::io
