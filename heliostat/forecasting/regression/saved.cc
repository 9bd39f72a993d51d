#include "heliostat/forecasting/regression/saved.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace heliostat::regression {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string Encode(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      const bool padding = i + k > bytes.size();
      text += padding ? '=' : kAlphabet[three >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

constexpr std::array<std::int8_t, 256> Decoder() {
  std::array<std::int8_t, 256> decoder{};
  for (auto& code : decoder) code = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    decoder[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return decoder;
}

// Decodes up to the first character that is not base64.
std::vector<unsigned char> Decode(std::string_view text) {
  static constexpr auto kDecoder = Decoder();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::vector<unsigned char> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::int8_t code = kDecoder[static_cast<unsigned char>(c)];
    if (code < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(code);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> held & 255));
  }
  return bytes;
}

}  // namespace

io::Json SaveModel(std::string_view name) {
  io::Json saved;
  saved.Set("model", name);
  return saved;
}

Status ExpectModel(const io::Json& saved, std::string_view name) {
  const auto member = saved.Get("model");
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  if (*text == name) return {};
  return Fail(ErrorCode::kInvalidArgument, (*member)->where(), fmt::format("is '{}'", Printable(*text, 60)),
              fmt::format("must be '{}'", name));
}

io::Json SaveNumbers(std::span<const double> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return Encode({reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size()});  // NOLINT: std::byte and unsigned char have the same representation
}

Result<double> LoadNumber(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Number();
}

Result<std::int64_t> LoadInteger(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Integer();
}

Result<bool> LoadBoolean(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Boolean();
}

Result<std::string> LoadText(const io::Json& saved, std::string_view key) {
  const auto member = saved.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Text();
}

Result<std::vector<double>> LoadNumbers(const io::Json& saved, std::string_view key) {
  const auto text = LoadText(saved, key);
  if (!text) return Propagate(text);
  const auto bytes = Decode(*text);
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  // Accepts only text that Encode() would write, so that a truncated or changed text is detected.
  bool whole = bytes.size() % sizeof(double) == 0 && Encode(bytes) == *text;
  for (const double number : numbers) whole = whole && std::isfinite(number);
  if (!whole) {
    return Fail(ErrorCode::kInvalidArgument, saved.where() + ": " + std::string(key), "is not a list of numbers",
                "must be base64 as this program saves it");
  }
  return numbers;
}

}  // namespace heliostat::regression
