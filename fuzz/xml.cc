// Any bytes are an XML document or one error.
#include "heliostat/base/io/xml.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = heliostat::io::ParseXml({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
  if (!document) heliostat::Check(!document.error().Line().empty(), "an error has no text");
  return 0;
}
