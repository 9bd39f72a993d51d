#include "heliostat/price/price.h"

namespace heliostat::price {

struct Memory::Content {};
Memory::Memory() = default;
Memory::~Memory() = default;
Memory::Memory(const Memory&) = default;
Memory& Memory::operator=(const Memory&) = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

}  // namespace heliostat::price
