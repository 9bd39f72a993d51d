// Any bytes are the payload of a request, of a part of an answer, or one error. What is read is written as the same
// again, and nothing is both.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/node/munge_channel/envelope.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto request = munge_channel::ReadRequest(bytes);
  const auto part = munge_channel::ReadPart(bytes);
  Check(!request || !part, "an answer passes as a request");
  if (!request && !part) {
    Check(request.error().Line().find('\n') == std::string::npos, "an error has several lines");
    return 0;
  }
  if (request) {
    Check(request->text.size() <= munge_channel::kMostRequestBytes, "a request is too long");
    Check(munge_channel::ReadRequest(munge_channel::WriteRequest(*request)) == *request, "a request changes");
  }
  if (part) {
    Check(part->number >= 1 && part->number <= part->of && part->of <= munge_channel::kMostParts, "no such part");
    Check(munge_channel::ReadPart(munge_channel::WritePart(*part)) == *part, "a part changes");
  }
  return 0;
}
