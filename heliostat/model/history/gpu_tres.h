#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heliostat::history {

// GPUs as Slurm writes them into AllocTRES and ReqTRES ("cpu=8,gres/gpu=4,gres/gpu:a100=4") or AllocGRES
// ("gpu:a100:4").
struct GpuTres {
  int gpus = 0;
  // By type, as written; may have fewer than `gpus`, where Slurm does not name types.
  std::map<std::string, int> types{};
  friend bool operator==(const GpuTres&, const GpuTres&) = default;
};

// A list without GPUs gives 0. An entry without a type is the sum of all types. Nothing for a number that cannot be
// read.
std::optional<GpuTres> ParseGpuTres(std::string_view text);

}  // namespace heliostat::history
