#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"
#include "heliostat/base/core/units.h"

namespace heliostat::device {

// The energy of the processors and memory of this machine since it was opened, from the counters of RAPL that the
// kernel shows below /sys/class/powercap. It is the energy of all programs of the machine together. Not thread-safe.
class HostEnergy {
 public:
  // Opens the counters of packages and memory. $HELIOSTAT_POWERCAP names another folder. kUnsupported when there is no
  // counter, kPermissionDenied, with the command that permits it, when none of them may be read.
  static Result<HostEnergy> Open(const Environment& environment);

  // Reads the counters. Call it at least once a minute: a counter starts again at 0 within minutes under full load. One
  // that cannot be read adds nothing until it can.
  void Sample();
  Joules energy() const { return energy_; }
  // What is counted: "package-0", "dram".
  std::vector<std::string> names() const;

 private:
  struct Counter {
    std::string name;
    std::string path;            // of its energy in microjoules
    std::uint64_t range_uj = 0;  // the count that follows is 0
    std::uint64_t last_uj = 0;
  };
  std::vector<Counter> counters_;
  Joules energy_;
};

}  // namespace heliostat::device
