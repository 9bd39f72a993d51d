#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/device/energy_meter.h"
#include "heliostat/ui/console/told.h"

namespace heliostat::console {

// Several GPUs over time: samples them, draws how they stand, and says in the end what they came to. Time is the
// caller's, monotone.
class LiveView {
 public:
  using Time = device::EnergyMeter::Time;

  // `gpus` outlive it.
  explicit LiveView(std::vector<device::Gpu*> gpus);

  // Reads every GPU once. One that fails shows so and is tried again next time.
  void Sample(Time now, bool is_last = false);
  // A few lines for each GPU, `columns` wide; blocks and bars where the terminal has them.
  std::string Frame(std::string_view title, std::size_t columns, bool is_utf8) const;
  // One line for each GPU, for logs and pipes.
  std::string Lines(std::string_view time) const;
  // Energy by the card's counter and by power readings, mean and highest draw.
  Told Sum() const;

 private:
  struct Watched {
    device::Gpu* gpu;
    device::EnergyMeter meter;
    io::Json latest{};
    std::deque<double> draws{};  // W, the latest last
    double highest_w = 0.0;
    int failures = 0;
    std::string trouble{};
  };
  std::vector<Watched> watched_;
};

}  // namespace heliostat::console
