#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/control/cluster/node.h"

// Nodes as `scontrol -d -o show node` prints them. Internal to this layer.
namespace heliostat::cluster {

struct ParsedNodes {
  std::vector<ClusterNode> nodes;
  std::vector<std::string> problems;
};

// One node a line. kCorrupt for a line that does not begin with a node's name or breaks off before its state.
Result<ParsedNodes> ParseNodes(std::string_view text);

}  // namespace heliostat::cluster
