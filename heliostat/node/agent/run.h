#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::agent {

inline constexpr const char* kDefaultConfig = "/etc/heliostat/agent.toml";

// What `heliostatd` is asked to do.
struct AgentOptions {
  enum class Task { kServe, kRestore };
  Task task = Task::kServe;
  // Path of the policy file. Empty: kDefaultConfig, which need not exist; without it only root may set anything.
  std::string config;
  int signals = -1;  // a signalfd with SIGHUP, SIGTERM and SIGINT; -1: none
};

enum class ServiceEnding {
  kInOrder,
  kThreadsLeft,  // a thread may hang in the driver: end the process without waiting for it
  kNotRestored,  // the same, and after Task::kRestore a card may still have the setting of a lease
};

// What the policy allows, as text.
Result<std::string> ExplainPolicy(const AgentOptions& options);

// Runs the agent: serves until a signal ends it, or restores all cards and returns (Task::kRestore). Fails when the
// policy cannot be read, another agent runs, or the socket cannot be opened.
Result<ServiceEnding> Run(const AgentOptions& options, const Environment& environment);

}  // namespace heliostat::agent
