// Any bytes are one request to the node agent or one error. A request that is written and read again is the same and
// fits into one line of the allowed length. An error is written as one line that a client reads as the same error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/node/agent/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  const auto request = agent::ParseRequest(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!request) {
    const std::string answer = agent::ErrorAnswer(request.error());
    Check(answer.find('\n') == std::string::npos, "an answer has several lines");
    const auto read = agent::ReadAnswer(answer, "agent");
    Check(!read && read.error().code == request.error().code, "an error is read as another error");
    return 0;
  }
  const std::string written = agent::Describe(*request).Line();
  Check(written.size() <= agent::kMostRequestBytes, "a request is too long to be sent");
  Check(written.find('\n') == std::string::npos, "a request has several lines");
  const auto again = agent::ParseRequest(written);
  Check(again.has_value(), "the written text cannot be read");
  Check(*again == *request, "a request changes when it is written and read again");
  if (const auto* set = std::get_if<agent::AskSet>(&*request)) {
    Check(set->ttl.count() > 0 && set->ttl <= agent::kLongestTtl, "the duration of a lease is out of range");
    Check(set->job.size() <= agent::kMostJobBytes, "the name of a job is too long");
    Check(!set->wanted.is_default && set->wanted.low > 0 && set->wanted.low <= set->wanted.high,
          "the setting is out of range");
  }
  return 0;
}
