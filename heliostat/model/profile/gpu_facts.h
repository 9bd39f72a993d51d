#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace heliostat::profile {

// Figures of a kind of GPU, and of a node full of them.
struct GpuFacts {
  std::string_view name;
  double lowest_limit_w;
  double highest_limit_w;  // also the default limit
  double lowest_mhz;       // lower clocks were not measured and save nothing
  double highest_mhz;
  double fp32_tflops;  // dense peak in fp32 as frameworks train (TF32 where available)
  double half_tflops;  // dense peak in bf16 or fp16
  double memory_gb_s;
  double static_share;  // share of a model's top power that does not depend on the clock
  double exponent;      // of the other share over the clock
  double idle_w;        // idle GPU of a node that is on
  double node_base_w;
  double node_sleep_w;
  int wake_minutes;
  double wake_wh;
};

std::span<const GpuFacts> AllGpuFacts();
// Null for a GPU that the library does not have.
const GpuFacts* FindGpuFacts(std::string_view gpu);

// The highest power limit that any board with this GPU accepts, in watts; nothing for a GPU that is not known here.
// Many more GPUs are known than the library has.
std::optional<double> HighestWatts(std::string_view gpu);
// More than any GPU on the market draws, in watts.
inline constexpr double kNoGpuDrawsWatts = 2000.0;

}  // namespace heliostat::profile
