#pragma once

#include <map>
#include <string>
#include <string_view>

namespace heliostat::cluster {

// Numbers of GPUs by type, as the cluster names its types ("a100"). The empty type is "any": GPUs that were asked for,
// or counted, without a type. Entries are above zero.
using GpusByType = std::map<std::string, int, std::less<>>;

int CountOf(const GpusByType& gpus);

// Reads the GPUs in a list of Slurm's resources, in any of its spellings: "gpu:a100:4(S:0-1)", "gres:gpu:2",
// "gres/gpu:a100=2", "cpu=8,gres/gpu=4,gres/gpu:a100=4", "(null)". A total without a type counts only as far as it
// exceeds the types beside it. Leaves out other resources and what has no number it can read.
GpusByType ParseGpus(std::string_view text);

// Every count times `factor`, such as nodes for a number per node.
GpusByType Times(GpusByType gpus, int factor);

}  // namespace heliostat::cluster
