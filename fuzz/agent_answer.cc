// Any bytes are one answer of the node agent or one error. A grant or a list of leases that is read, written and read
// again is the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/lease/lease_summary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  const auto answer = agent::ReadAnswer(std::string_view(reinterpret_cast<const char*>(data), size), "agent");
  if (!answer) return 0;
  if (const auto grant = lease::ReadGrant(*answer)) {
    Check(grant->lease.left.count() >= 0, "a lease has a negative time left");
    const auto written = io::Json::Parse(lease::Describe(*grant).Line(), "agent");
    const auto again = written ? lease::ReadGrant(*written) : Result<lease::Grant>(Propagate(written));
    Check(again.has_value() && *again == *grant, "a grant changes when it is written and read again");
  }
  const io::Json* const list = answer->Find("leases");
  const auto leases = list == nullptr ? Result<std::vector<lease::LeaseSummary>>() : lease::ReadSummaries(*list);
  if (!leases) return 0;
  const auto written = io::Json::Parse(lease::Describe(*leases).Line(), "agent");
  Check(written.has_value() && lease::ReadSummaries(*written).value() == *leases,
        "a list of leases changes when it is written and read again");
  return 0;
}
