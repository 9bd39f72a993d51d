#pragma once

#include <span>
#include <string_view>

namespace heliostat::profile {

// What the library knows of a kind of GPU and of a node full of them.
struct GpuFacts {
  std::string_view name;
  double lowest_limit_w;
  double highest_limit_w;  // the default limit, too
  double lowest_mhz;       // below it nobody measured: clocks that low save nothing
  double highest_mhz;
  double fp32_tflops;  // dense peak of a training run in fp32 as frameworks do it (TF32 where there is such)
  double half_tflops;  // dense peak in bf16 or fp16
  double memory_gb_s;
  double static_share;  // of a model's top draw, by the core clock
  double exponent;      // of the rest
  double idle_w;        // nothing running, node on
  double node_base_w;
  double node_sleep_w;
  int wake_minutes;
  double wake_wh;
};

std::span<const GpuFacts> AllGpuFacts();
// nullptr for a GPU that the library does not have.
const GpuFacts* FindGpuFacts(std::string_view gpu);

}  // namespace heliostat::profile
