// Any bytes are measurements or one error. What is read is above zero and finite, has curves that are finite too, and
// makes a profile table or one error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/model/profile/write_profiles.h"

namespace {

using heliostat::Check;
using heliostat::profile::Measurement;

// Fitting many sweeps takes long and finds nothing new.
constexpr std::size_t kMostRows = 64;

bool IsSound(double value) { return value > 0.0 && std::isfinite(value); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A name that says all that any format wants from it.
  const auto rows = heliostat::profile::ReadMeasurements(text, "stage_profile_net_a100.csv");
  if (!rows) {
    Check(!rows.error().Line().empty(), "an error says nothing");
    return 0;
  }
  for (const Measurement& row : *rows) {
    Check(IsSound(row.per_s) && row.batch > 0 && row.workers > 0, "a measurement is unsound");
    Check(!row.power || IsSound(row.power->value), "a draw is unsound");
    Check(row.is_training || (row.latency && IsSound(row.latency->count())), "a latency is unsound");
  }
  const auto table = heliostat::profile::ToProfileTable(*rows, std::nullopt);
  if (table) Check(table->rows + table->left_out == rows->size(), "a measurement got lost");
  if (rows->size() > kMostRows) return 0;
  for (const auto& sweep : heliostat::profile::SweepsOf(*rows)) {
    const auto fit = heliostat::profile::FitSweep(sweep);
    Check(!fit.power || std::isfinite(fit.power->mape), "a curve is not finite");
    Check(!fit.limit || std::isfinite(fit.limit->time_mape), "a curve over limits is not finite");
  }
  return 0;
}
