#include "heliostat/model/profile/read_rtx.h"

#include <array>

#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {

Result<std::vector<Measurement>> ReadRtx(const Source& source) {
  constexpr std::array<std::string_view, 6> kColumns{"gpu",         "model",         "load_mode",
                                                     "power_cap_w", "tput_narr_tps", "actual_power_w"};
  scenario::CsvTable table = source.Table(kColumns);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    Measurement row{.model = table.Text("model") + "-" + table.Text("load_mode"),
                    .gpu = source.GpuOr(table.Text("gpu")),
                    .is_training = false};
    row.line = table.line();
    row.workers = source.options.workers.value_or(1);
    row.knob.power_limit_w = PositiveNumber(table, "power_cap_w");
    row.per_s = PositiveNumber(table, "tput_narr_tps");
    row.power = Watts{PositiveNumber(table, "actual_power_w")};
    row.latency = Seconds{1.0 / row.per_s};
    if (!table.status()) continue;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace heliostat::profile
