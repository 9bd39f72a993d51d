#pragma once

#include <cstdint>
#include <string_view>

namespace heliostat {

// FNV-1a in 64 bits. The result is the same on every machine and in every version: random streams, files of learned
// profiles and simulated GPUs are named by it. `before` continues an earlier hash, or separates one family of hashes
// from another. Not cryptographic.
inline constexpr std::uint64_t kHashOfNothing = 0xcbf29ce484222325ULL;

constexpr std::uint64_t Hash64(std::uint64_t word, std::uint64_t before) { return (before ^ word) * 0x100000001b3ULL; }

constexpr std::uint64_t Hash64(std::string_view text, std::uint64_t before = kHashOfNothing) {
  for (const char c : text) before = Hash64(static_cast<unsigned char>(c), before);
  return before;
}

}  // namespace heliostat
