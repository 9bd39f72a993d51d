#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::controller {

struct DaemonOptions {
  std::string config = "/etc/heliostat/controller.toml";
  int signals = -1;  // a signalfd: SIGTERM and SIGINT end the daemon, SIGHUP saves its state
};

// Follows the cluster of the config until a signal ends it, and answers commands meanwhile.
Status RunDaemon(const DaemonOptions& options, const Environment& environment);

// Checks config and signals without the cluster, and returns what they mean in words.
Result<std::string> CheckConfig(const DaemonOptions& options, const Environment& environment);

}  // namespace heliostat::controller
