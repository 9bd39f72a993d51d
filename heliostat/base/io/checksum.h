#pragma once

#include <cstdint>
#include <string_view>

namespace heliostat::io {

// CRC-32 as in zip and Ethernet: 0xcbf43926 for "123456789". Detects accidental damage, not forgery.
std::uint32_t Crc32(std::string_view bytes);

}  // namespace heliostat::io
