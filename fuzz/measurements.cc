// Any bytes are measurements or one error. The numbers that are read are above zero and finite, their curves are
// finite, they scale to other numbers of workers, and they make a profile table or one error. A file that is right is
// read alike when bad rows may be skipped.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/model/profile/worker_scaling.h"
#include "heliostat/model/profile/write_profiles.h"

namespace {

using heliostat::Check;
using heliostat::profile::Measurement;

// Fitting many sweeps takes time and finds nothing new.
constexpr std::size_t kMostRows = 64;

bool IsSound(double value) { return value > 0.0 && std::isfinite(value); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A file name with all facts that any format takes from it.
  const auto rows = heliostat::profile::ReadMeasurements(text, "stage_profile_net_a100.csv");
  if (!rows) {
    Check(!rows.error().Line().empty(), "an error has no text");
    return 0;
  }
  for (const Measurement& row : *rows) {
    Check(IsSound(row.per_s) && row.batch > 0 && row.workers > 0, "a measurement is not positive and finite");
    Check(!row.power || IsSound(row.power->value), "a power is not positive and finite");
    Check(row.is_training || (row.latency && IsSound(row.latency->count())), "a latency is not positive and finite");
  }
  const auto table = heliostat::profile::ToProfileTable(*rows, std::nullopt);
  if (table) Check(table->rows + table->left_out == rows->size(), "a measurement is lost");
  const auto skipping = heliostat::profile::Read(text, "stage_profile_net_a100.csv", {.skips_bad_rows = true});
  Check(skipping && skipping->skipped.empty() && skipping->rows == *rows, "a right row is skipped");
  if (rows->size() > kMostRows) return 0;
  for (const Measurement& row : heliostat::profile::ScaleWorkers(*rows, std::array{1, 2, 8})) {
    Check(IsSound(row.per_s) && std::isfinite(row.speed_error), "a scaled speed is not positive and finite");
    Check(!row.power || (IsSound(row.power->value) && row.power_error >= -1e-9), "a scaled power is not sound");
  }
  for (const auto& sweep : heliostat::profile::SweepsOf(*rows)) {
    const auto fit = heliostat::profile::FitSweep(sweep);
    Check(!fit.power || std::isfinite(fit.power->mape), "a curve is not finite");
    Check(!fit.limit || std::isfinite(fit.limit->time_mape), "a curve over limits is not finite");
  }
  return 0;
}
