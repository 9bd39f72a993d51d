// Any bytes are one request of the node agent or one error. A request that is written and read again is the same, in
// one line that is short enough to be sent, and an error is told in one line that a client reads as that error.
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
    Check(!read && read.error().code == request.error().code, "an error is read as another");
    return 0;
  }
  const std::string written = agent::Describe(*request).Line();
  Check(written.size() <= agent::kMostRequestBytes, "what was read is too long to be sent");
  Check(written.find('\n') == std::string::npos, "a request has several lines");
  const auto again = agent::ParseRequest(written);
  Check(again.has_value(), "what was written cannot be read");
  Check(*again == *request, "written and read again, a request differs");
  if (const auto* set = std::get_if<agent::AskSet>(&*request)) {
    Check(set->ttl.count() > 0 && set->ttl <= agent::kLongestTtl, "a lease for ever");
    Check(set->job.size() <= agent::kMostJobBytes, "a job's name without bounds");
    Check(!set->wanted.is_default && set->wanted.low > 0 && set->wanted.low <= set->wanted.high, "no setting");
  }
  return 0;
}
