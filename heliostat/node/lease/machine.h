#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/base/core/time.h"

namespace heliostat::lease {

// A process. Its start time distinguishes it from a later process with the same id.
struct Process {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot, as the kernel counts
  friend bool operator==(const Process&, const Process&) = default;
};

// What leases need from the machine: its clocks, boots and processes. Thread-safe.
class Machine {
 public:
  virtual ~Machine() = default;
  // Different after each boot.
  virtual std::string BootId() const = 0;
  // Never jumps; includes the time in which the machine sleeps.
  virtual std::chrono::seconds SinceBoot() const = 0;
  virtual Instant Now() const = 0;  // wall clock
  // Absent when there is no such process, it has ended and only waits to be collected, or it is a thread of the kernel,
  // which no lease can belong to.
  virtual std::optional<Process> Find(pid_t pid) const = 0;
  bool IsAlive(const Process& process) const { return Find(process.pid) == process; }
};

// The machine that this process runs on.
std::unique_ptr<Machine> ThisMachine();

}  // namespace heliostat::lease
