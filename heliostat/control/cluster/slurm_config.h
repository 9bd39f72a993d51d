#pragma once

#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/control/cluster/facts.h"

// The configuration as `scontrol show config` prints it. Internal to this layer.
namespace heliostat::cluster {

// kCorrupt for a text without a version or a name of the cluster: it is no configuration, or breaks off. A value that
// is absent in a release stays at its default.
Result<ClusterFacts> ParseConfig(std::string_view text);

}  // namespace heliostat::cluster
