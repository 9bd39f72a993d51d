#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::agent {

inline constexpr const char* kDefaultConfig = "/etc/heliostat/agent.toml";

struct AgentOptions {
  enum class Task { kServe, kRestore };
  Task task = Task::kServe;
  // Empty: the default, which need not be there. Without it only root may set anything.
  std::string config;
  int signals = -1;  // a signalfd
};

enum class ServiceEnding {
  kInOrder,
  kThreadsLeft,  // one hangs in the driver: end the process without waiting for it
};

// What the policy allows, for people.
Result<std::string> ExplainPolicy(const AgentOptions& options);

// The whole agent, from its policy file to its end.
Result<ServiceEnding> Run(const AgentOptions& options, const Environment& environment);

}  // namespace heliostat::agent
