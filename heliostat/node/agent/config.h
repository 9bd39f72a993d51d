#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::agent {

// Both ends are inside. Watts or MHz, as the name of whoever holds it says.
struct Bounds {
  double lowest = 0.0;
  double highest = 0.0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// One [[allow]] table: some people may turn some knobs of some GPUs within a range.
struct Allowance {
  std::vector<uid_t> uids;
  std::vector<gid_t> gids;
  std::vector<std::string> people;  // users and groups as they were written, for messages
  std::vector<std::string> gpus;    // "*", an index, or a UUID
  std::vector<device::Knob> knobs;
  // Nothing: all that the card itself can do.
  std::optional<Bounds> power_limit_w;
  std::optional<Bounds> core_clock_mhz;
  std::optional<Bounds> memory_clock_mhz;
  Duration max_ttl = std::chrono::hours(24);
  int max_leases = 64;  // of one user, on all GPUs together

  const std::optional<Bounds>& BoundsOf(device::Knob knob) const;
};

// So many a second for long, and so many at once.
struct RateLimit {
  double per_second = 0.0;
  double burst = 0.0;
};

struct Config {
  std::string socket = "/run/heliostat/agent.sock";
  std::string state = "/var/lib/heliostat";
  std::string audit = "/var/log/heliostat/audit.log";
  std::chrono::milliseconds sample{1000};
  std::chrono::milliseconds hang{5000};
  int max_connections = 256;
  RateLimit writes{20.0, 50.0};  // of one user, as are reads
  RateLimit reads{20'000.0, 20'000.0};
  std::vector<Allowance> allowances;
  // What is not wrong and yet probably not meant: a user that nobody knows.
  std::vector<std::string> warnings;
};

// Numbers of users and groups by name; nothing for one that is not there.
struct Accounts {
  std::function<std::optional<uid_t>(const std::string&)> user;
  std::function<std::optional<gid_t>(const std::string&)> group;
};
// This machine's.
Accounts SystemAccounts();

Result<Config> ParseConfig(std::string_view text, const std::string& file, const Accounts& accounts);
// Refuses a file that somebody else could have written: whoever writes the policy is root by proxy.
Result<Config> ReadConfig(const std::string& path, const Accounts& accounts);

// "200 to 700 W", "600 to 1200 MHz"; "the card's whole range" where there is none.
std::string TextOf(device::Knob knob, const std::optional<Bounds>& bounds);
// "GPU * power-limit 200 to 700 W; up to 1 d; at most 64 leases", one allowance in plain words, people left out.
std::string TextOf(const Allowance& allowance);
// What the file comes to, for people: `heliostatd --check-config`.
std::string Explain(const Config& config);

}  // namespace heliostat::agent
