#pragma once

#include <cstdint>
#include <string_view>

namespace heliostat::io {

// CRC-32 as zip and Ethernet have it: 0xcbf43926 for "123456789". Finds accidents, not forgeries.
std::uint32_t Crc32(std::string_view bytes);

}  // namespace heliostat::io
