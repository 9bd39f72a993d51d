#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/node/munge_channel/tcp.h"

namespace heliostat::controller {

enum class Mode {
  kObserve,  // only accounts
  kShadow,   // also decides, and changes nothing
};
std::string_view NameOf(Mode mode);
// kUnsupported for `live`, kInvalidArgument for other words. `where` is the place in errors.
Result<Mode> ModeNamed(std::string_view name, std::string_view where);

// Where a signal comes from: a file or a provider.
struct SignalConfig {
  std::string file;  // empty: a provider
  std::string column;
  std::string unit;
  std::string provider;
  std::string zone;
  // Of a file: the moment in it at which the accounts of the controller begin. Absent: the file has the present time.
  std::optional<Instant> replay_from;
  // Of on-site power: what a kWh of it emits.
  CarbonIntensity carbon;
};

// A node class whose watts the operator knows.
struct GroupConfig {
  scenario::Group group;
  std::vector<std::string> nodes;  // empty: those that have this GPU
  std::optional<Watts> gpu_busy;   // one GPU that a job has; absent: from the library
};

// Commands from other hosts, whose users MUNGE vouches for.
struct RemoteConfig {
  munge_channel::HostPort listen;
  std::vector<std::string> names;  // by which other hosts call this one
  std::string munge_socket;        // of munged; empty: the one that is built into its commands
};

// The file of the controller.
struct Config {
  std::string file;
  Mode mode = Mode::kShadow;
  std::string state = "/var/lib/heliostatctld";
  std::string socket = "/run/heliostatctld/controller.sock";
  std::string policy = "ca-rm-performance";
  Duration poll{10};
  Duration planning{5};  // the longest time for one plan
  std::vector<std::string> operators;
  std::optional<RemoteConfig> remote;  // absent: only this host is answered

  std::vector<std::string> partitions;            // empty: all
  double default_slack = 0.0;                     // share of the time limit, for jobs that say nothing
  std::map<std::string, double> partition_slack;  // the same, by partition

  std::optional<SignalConfig> carbon;
  std::optional<SignalConfig> price;
  std::optional<SignalConfig> renewable;

  double pue = 1.0;
  std::optional<Currency> currency;
  Duration step{900};  // length of a slot

  std::vector<GroupConfig> groups;    // empty: from the cluster
  std::vector<std::string> warnings;  // single lines about parts that have no effect
};

// Reads the text of a config; `file` names it in errors, and relative paths in it start at its folder. Refuses keys
// that are not known, and values out of range.
Result<Config> ParseConfig(const std::string& text, const std::string& file);
Result<Config> ReadConfig(const std::string& file);
// What the config means, in words, one line for each part.
std::string Explain(const Config& config);

}  // namespace heliostat::controller
