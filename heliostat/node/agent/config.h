#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/token_bucket.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::agent {

// A closed range, in watts or MHz as the name of the member that holds it says.
struct Bounds {
  double lowest = 0.0;
  double highest = 0.0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// One [[allow]] table: which users and groups may set which knobs of which GPUs within which range.
struct Allowance {
  std::vector<uid_t> uids;
  std::vector<gid_t> gids;
  std::vector<std::string> people;  // users and groups as they were written, for messages
  std::vector<std::string> gpus;    // "*", an index, or a UUID
  std::vector<device::Knob> knobs;
  // Absent: the card's whole range.
  std::optional<Bounds> power_limit_w;
  std::optional<Bounds> core_clock_mhz;
  std::optional<Bounds> memory_clock_mhz;
  Duration max_ttl = std::chrono::hours(24);
  int max_leases = 64;  // per user, on all GPUs together

  const std::optional<Bounds>& BoundsOf(device::Knob knob) const;
};

// One [[base_clocks]] table: where clocks of these GPUs stand without a lease. NVML cannot report it.
struct BaseClocks {
  std::vector<std::string> gpus;  // "*", an index, or a UUID
  std::optional<Bounds> core_clock_mhz;
  std::optional<Bounds> memory_clock_mhz;
};

// The agent's policy file.
struct Config {
  std::string socket = "/run/heliostat/agent.sock";
  std::string state = "/var/lib/heliostat";
  std::string audit = "/var/log/heliostat/audit.log";
  std::chrono::milliseconds sample{1000};
  std::chrono::milliseconds hang{5000};
  int max_connections = 256;
  std::chrono::milliseconds idle{60'000};
  RateLimit writes{20.0, 50.0};  // per user, as are reads
  RateLimit reads{20'000.0, 20'000.0};
  std::vector<Allowance> allowances;
  std::vector<BaseClocks> base_clocks;
  // What is valid but probably not intended, such as a user that this machine does not have.
  std::vector<std::string> warnings;
};

// Looks up the ids of users and groups by name; absent for an unknown name.
struct Accounts {
  std::function<std::optional<uid_t>(const std::string&)> user;
  std::function<std::optional<gid_t>(const std::string&)> group;
};
// The accounts of this machine.
Accounts SystemAccounts();

// kInvalidArgument, with file and line, for an unknown key or a value out of range. `file` is for messages.
Result<Config> ParseConfig(std::string_view text, const std::string& file, const Accounts& accounts);
// Reads a file that belongs to root or the agent's user and that no other user may write, because the policy grants
// rights of root. kPermissionDenied for other files, kNotFound when there is none.
Result<Config> ReadConfig(const std::string& path, const Accounts& accounts);

// True when a list of "*", indices and UUIDs contains a GPU.
bool Names(const std::vector<std::string>& gpus, const device::Identity& gpu);
// The bases that the tables name for a GPU; the first table that names it and the knob counts.
std::map<device::Knob, device::Setting> BasesOf(const std::vector<BaseClocks>& tables, const device::Identity& gpu);

// "200 to 700 W", "600 to 1200 MHz"; "the card's whole range" where there is none.
std::string TextOf(device::Knob knob, const std::optional<Bounds>& bounds);
// "GPU *: power-limit 200 to 700 W; up to 1 d; at most 64 leases": one allowance without its users and groups.
std::string TextOf(const Allowance& allowance);
// The policy as text for `heliostatd --check-config`.
std::string Explain(const Config& config);

}  // namespace heliostat::agent
