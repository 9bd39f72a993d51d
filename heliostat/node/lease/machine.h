#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/base/core/time.h"

namespace heliostat::lease {

// A process, told apart from a later one with the same number by when it started.
struct Process {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot, as the kernel counts
  friend bool operator==(const Process&, const Process&) = default;
};

// What leases need to know of the machine. Thread-safe.
class Machine {
 public:
  virtual ~Machine() = default;
  // Another after each boot.
  virtual std::string BootId() const = 0;
  // Never jumps, and goes on while the machine sleeps.
  virtual std::chrono::seconds SinceBoot() const = 0;
  virtual Instant Now() const = 0;
  // Nothing when there is no such process.
  virtual std::optional<Process> Find(pid_t pid) const = 0;
  bool IsAlive(const Process& process) const { return Find(process.pid) == process; }
};

// This one.
std::unique_ptr<Machine> ThisMachine();

}  // namespace heliostat::lease
