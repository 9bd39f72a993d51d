#include "heliostat/model/profile/read_rtx.h"

#include <array>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {

Result<std::vector<Measurement>> ReadRtx(std::string_view text, const std::string& file) {
  constexpr std::array<std::string_view, 6> kColumns{"gpu",         "model",         "load_mode",
                                                     "power_cap_w", "tput_narr_tps", "actual_power_w"};
  scenario::CsvTable table(text, file, kColumns);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    Measurement row{.model = table.Text("model") + "-" + table.Text("load_mode"),
                    .gpu = GpuName(table.Text("gpu")),
                    .is_training = false};
    row.knob.power_limit_w = PositiveNumber(table, "power_cap_w");
    row.per_s = PositiveNumber(table, "tput_narr_tps");
    row.power = Watts{PositiveNumber(table, "actual_power_w")};
    row.latency = Seconds{1.0 / row.per_s};
    if (!table.status()) break;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace heliostat::profile
