#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/control/cluster/cluster.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::cluster {

// Nodes that are alike: the same type and number of GPUs.
struct NodeClass {
  scenario::Group group;           // named after the GPU, and after the number of GPUs where classes share one
  std::vector<std::string> nodes;  // their names, in the order of the snapshot
  // Where the watts of the group come from. Never measured: the library has figures of a usual node with that GPU.
  // Without an entry in the library all watts are zero, and the operator has to say them.
  bool has_watts = false;
  Watts gpu_busy{};             // one GPU that trains; the median of the library's models
  double gpu_busy_error = 0.0;  // relative: how far single models are from it
};

// One GPU that trains, and the relative distance of single models: over the models of the library. `gpu` is the
// library's name; zeros for another one.
struct BusyPower {
  Watts power{};
  double error = 0.0;
};
BusyPower BusyPowerOf(std::string_view gpu);

// The groups of a cluster whose operator names none, in the order of their first nodes. Nodes without GPUs, and those
// with GPUs of several types, are in none.
std::vector<NodeClass> GroupsFrom(const ClusterSnapshot& snapshot);

// The library's name of a GPU that a cluster calls "a100", "nvidia_a100_80gb_pcie" or "tesla-v100"; empty when it has
// none.
std::string_view LibraryGpu(std::string_view type);

}  // namespace heliostat::cluster
