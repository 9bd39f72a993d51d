#include "heliostat/base/io/checksum.h"

#include <array>

namespace heliostat::io {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320U;

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1U) != 0 ? (rest >> 1U) ^ kPolynomial : rest >> 1U;
    table[i] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

}  // namespace

std::uint32_t Crc32(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const char c : bytes) sum = kTable[(sum ^ static_cast<unsigned char>(c)) & 0xffU] ^ (sum >> 8U);
  return ~sum;
}

}  // namespace heliostat::io
