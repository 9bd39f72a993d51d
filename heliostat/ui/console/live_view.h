#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/device/energy_meter.h"
#include "heliostat/ui/console/text_and_json.h"

namespace heliostat::console {

// Samples several GPUs over time, draws their present state, and sums up their energy. The caller supplies the time,
// which must not go back. Not thread-safe.
class LiveView {
 public:
  using Time = device::EnergyMeter::Time;

  // `gpus` must outlive the view.
  explicit LiveView(std::vector<device::Gpu*> gpus);

  // Reads every GPU once. A GPU that fails shows the error and is read again at the next call. `is_last`: also reads
  // the energy counter.
  void Sample(Time now, bool is_last = false);
  // A few lines per GPU, `columns` wide, with block characters if `is_utf8`.
  std::string Frame(std::string_view title, std::size_t columns, bool is_utf8) const;
  // One line per GPU, for logs and pipes.
  std::string Lines(std::string_view time) const;
  // The totals per GPU: energy by its counter and by power readings, mean and highest power.
  TextAndJson Sum() const;

 private:
  struct Watched {
    device::Gpu* gpu;
    device::EnergyMeter meter;
    io::Json latest{};
    std::deque<double> draws{};  // in W, the latest last
    double highest_w = 0.0;
    int failures = 0;
    std::string trouble{};
  };
  std::vector<Watched> watched_;
};

}  // namespace heliostat::console
