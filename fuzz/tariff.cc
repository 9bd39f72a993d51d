// Any bytes are tariffs or one error. A tariff that is read can be expanded over a week, and every price of that week
// is one of its rates; its description is safe to print.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/signals/tariff/describe.h"
#include "heliostat/signals/tariff/expand.h"
#include "heliostat/signals/tariff/read.h"

namespace {

using heliostat::Check;
using heliostat::tariff::Tariff;

void LayOverAWeek(const Tariff& tariff) {
  const heliostat::Instant begin{std::chrono::sys_days{std::chrono::year{2024} / 2 / 26}};
  const auto price =
      heliostat::tariff::Expand(tariff, {begin, begin + std::chrono::days{7}}, heliostat::io::TimeZone::Utc());
  Check(price.has_value(), "a tariff cannot be expanded over a week");
  for (const double value : price->series.values()) {
    const bool is_rate = std::ranges::any_of(
        tariff.rates, [&](const heliostat::tariff::EnergyRate& rate) { return rate.tiers.front().rate == value; });
    Check(is_rate, "a price is not one of the rates of the tariff");
  }
  for (const char c : heliostat::tariff::Describe(tariff)) {
    Check(c == '\n' || static_cast<unsigned char>(c) >= ' ', "a description has a control character");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tariffs = heliostat::tariff::ReadTariffs(text, "fuzz");
  if (!tariffs) {
    Check(!tariffs.error().Line().empty(), "an error has no text");
    return 0;
  }
  for (const Tariff& tariff : *tariffs) LayOverAWeek(tariff);
  return 0;
}
