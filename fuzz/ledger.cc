// Any bytes are a run or one error. A run that is written and read again has the same bill, and a run that is cut after
// any line has the bill of the periods before the cut.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/base/io/checksum.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/csv.h"

namespace {

using heliostat::Check;
using heliostat::ledger::Run;

constexpr std::size_t kLongest = 16384;

// The lines with correct checksums, so that changed bytes still reach the records.
std::string Sealed(std::string_view bytes) {
  constexpr std::size_t kSum = 9;
  std::string sealed;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    const std::string_view text = line.size() > kSum ? line.substr(kSum) : line;
    sealed += fmt::format("{:08x} {}\n", heliostat::io::Crc32(text), text);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return sealed;
}

std::string LineOf(const heliostat::io::Json& json) {
  const std::string text = json.Line();
  return fmt::format("{:08x} {}\n", heliostat::io::Crc32(text), text);
}

std::string BillText(const Run& run) {
  return heliostat::ledger::ToJson(heliostat::ledger::BillOf(run), run.begin).Line();
}

void CheckRun(const std::string& bytes) {
  const auto run = heliostat::ledger::ParseRun(bytes, "id", "fuzz");
  if (!run) {
    Check(!run.error().Line().empty(), "an error has no text");
    return;
  }
  const auto bill = heliostat::ledger::BillOf(*run);
  Check(std::isfinite(bill.run.carbon.value) && std::isfinite(bill.at_default.carbon_g.error), "a bill is not finite");
  (void)heliostat::ledger::CsvOf(*run);
  std::string lines = LineOf(ToJson(run->begin));
  Run prefix = *run;
  prefix.periods.clear();
  for (const auto& period : run->periods) {
    lines += LineOf(ToJson(period));
    prefix.periods.push_back(period);
    const auto again = heliostat::ledger::ParseRun(lines + "torn", "id", "fuzz");
    Check(again.has_value(), "the written text cannot be read");
    Check(again->periods == prefix.periods, "periods change when they are written and read again");
    Check(BillText(*again) == BillText(prefix), "the bill changes when the run is written and read again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  CheckRun(bytes);
  CheckRun(Sealed(bytes));
  return 0;
}
