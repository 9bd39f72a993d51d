#include "heliostat/node/agent/config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "heliostat/base/io/toml.h"

namespace heliostat::agent {
namespace {

using device::Knob;
using io::Toml;

constexpr std::size_t kMostConfigBytes = 1 << 20;
constexpr double kMostRate = 1e6;

// Sets `value` to the number at `key`, if there is one. Refuses a number outside the range.
Status ReadNumber(const Toml& table, std::string_view key, double lowest, double highest, double& value) {
  const Toml* found = table.Find(key);
  if (found == nullptr) return {};
  const auto number = found->Number();
  if (!number) return Propagate(number);
  if (*number < lowest || *number > highest) {
    return found->Refuse(fmt::format("is {}", *number), fmt::format("must be {} to {}", lowest, highest));
  }
  value = *number;
  return {};
}

Status ReadWhole(const Toml& table, std::string_view key, int highest, int& value) {
  const Toml* found = table.Find(key);
  if (found == nullptr) return {};
  const auto number = found->Integer();
  if (!number) return Propagate(number);
  if (*number < 1 || *number > highest) {
    return found->Refuse(fmt::format("is {}", *number), fmt::format("must be 1 to {}", highest));
  }
  value = static_cast<int>(*number);
  return {};
}

Status ReadMilliseconds(const Toml& table, std::string_view key, double highest, std::chrono::milliseconds& value) {
  double seconds = static_cast<double>(value.count()) / 1e3;
  if (const auto read = ReadNumber(table, key, 0.1, highest, seconds); !read) return Propagate(read);
  value = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
  return {};
}

Status ReadPath(const Toml& table, std::string_view key, std::string& value) {
  const Toml* found = table.Find(key);
  if (found == nullptr) return {};
  auto text = found->Text();
  if (!text) return Propagate(text);
  if (text->empty() || text->front() != '/') return found->Refuse("is relative", "must begin with /");
  value = *std::move(text);
  return {};
}

Status ReadRates(const Toml& document, Config& config) {
  const Toml* found = document.Find("requests_per_second");
  if (found == nullptr) return {};
  constexpr std::array<std::string_view, 3> kKeys{"writes", "burst", "reads"};
  if (const auto known = found->RefuseOtherKeys(kKeys); !known) return Propagate(known);
  const auto steps = {ReadNumber(*found, "writes", 0.1, kMostRate, config.writes.per_second),
                      ReadNumber(*found, "burst", 1.0, kMostRate, config.writes.burst),
                      ReadNumber(*found, "reads", 1.0, kMostRate, config.reads.per_second)};
  for (const Status& step : steps) {
    if (!step) return Propagate(step);
  }
  config.reads.burst = config.reads.per_second;
  return {};
}

Status ReadBounds(const Toml& table, std::string_view key, std::optional<Bounds>& bounds) {
  const Toml* found = table.Find(key);
  if (found == nullptr) return {};
  const auto elements = found->Elements();
  if (!elements) return Propagate(elements);
  if ((*elements)->size() != 2) {
    return found->Refuse(fmt::format("has {} numbers", (*elements)->size()), "must be [lowest, highest]");
  }
  const auto lowest = (**elements)[0].Number();
  if (!lowest) return Propagate(lowest);
  const auto highest = (**elements)[1].Number();
  if (!highest) return Propagate(highest);
  if (*lowest < 0.0 || *highest < *lowest) {
    return found->Refuse(fmt::format("is [{}, {}]", *lowest, *highest), "must be [lowest, highest], neither negative");
  }
  bounds = Bounds{*lowest, *highest};
  return {};
}

// Reads users or groups, as names and numbers. An unknown name grants nothing and becomes a warning, not an error: user
// directories may be unreachable for a while, and the agent must still start to restore cards.
template <typename Id>
Status ReadPeople(const Toml& table, std::string_view key,
                  const std::function<std::optional<Id>(const std::string&)>& find, std::vector<Id>& ids,
                  Allowance& allowance, std::vector<std::string>& warnings) {
  const Toml* found = table.Find(key);
  if (found == nullptr) return {};
  const auto elements = found->Elements();
  if (!elements) return Propagate(elements);
  const std::string_view kind = key.substr(0, key.size() - 1);
  for (const Toml& element : **elements) {
    if (const auto name = element.Text()) {
      allowance.people.push_back(fmt::format("{} {}", kind, *name));
      if (const auto id = find(*name)) {
        ids.push_back(*id);
      } else {
        warnings.push_back(fmt::format("{}: {} '{}' does not exist on this machine and gets no rights", element.where(),
                                       kind, Printable(*name, 60)));
      }
      continue;
    }
    const auto number = element.Integer();
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(static_cast<Id>(-1))) {
      return element.Refuse("is neither a name nor a number", fmt::format("must be a {}'s name or number", kind));
    }
    allowance.people.push_back(fmt::format("{} {}", kind, *number));
    ids.push_back(static_cast<Id>(*number));
  }
  return {};
}

Status ReadGpus(const Toml& table, std::vector<std::string>& names) {
  const auto gpus = table.Get("gpus");
  if (!gpus) return Propagate(gpus);
  const auto elements = (*gpus)->Elements();
  if (!elements) return Propagate(elements);
  for (const Toml& element : **elements) {
    if (const auto index = element.Integer(); index && *index >= 0) {
      names.push_back(fmt::format("{}", *index));
    } else if (auto text = element.Text(); text && !text->empty()) {
      names.push_back(*std::move(text));
    } else {
      return element.Refuse("is not a GPU", "must be \"*\", a UUID or an index");
    }
  }
  return {};
}

Status ReadKnobs(const Toml& table, Allowance& allowance) {
  const auto knobs = table.Get("knobs");
  if (!knobs) return Propagate(knobs);
  const auto elements = (*knobs)->Elements();
  if (!elements) return Propagate(elements);
  for (const Toml& element : **elements) {
    const auto name = element.Text();
    if (!name) return Propagate(name);
    const auto knob = device::KnobOf(*name);
    if (!knob) {
      return element.Refuse(fmt::format("is '{}'", Printable(*name, 40)),
                            "must be power-limit, core-clock or memory-clock");
    }
    allowance.knobs.push_back(*knob);
  }
  return {};
}

Status ReadTtl(const Toml& table, Allowance& allowance) {
  const Toml* found = table.Find("max_ttl");
  if (found == nullptr) return {};
  const auto text = found->Text();
  if (!text) return Propagate(text);
  const auto ttl = ParseDuration(*text, found->where() + ": " + found->key());
  if (!ttl) return Propagate(ttl);
  allowance.max_ttl = *ttl;
  return {};
}

Result<Allowance> ReadAllowance(const Toml& table, const Accounts& accounts, std::vector<std::string>& warnings) {
  constexpr std::array<std::string_view, 9> kKeys{
      "users",          "groups",           "gpus",    "knobs",     "power_limit_w",
      "core_clock_mhz", "memory_clock_mhz", "max_ttl", "max_leases"};
  if (const auto known = table.RefuseOtherKeys(kKeys); !known) return Propagate(known);
  Allowance allowance;
  const auto steps = {
      ReadPeople<uid_t>(table, "users", accounts.user, allowance.uids, allowance, warnings),
      ReadPeople<gid_t>(table, "groups", accounts.group, allowance.gids, allowance, warnings),
      ReadGpus(table, allowance.gpus),
      ReadKnobs(table, allowance),
      ReadBounds(table, "power_limit_w", allowance.power_limit_w),
      ReadBounds(table, "core_clock_mhz", allowance.core_clock_mhz),
      ReadBounds(table, "memory_clock_mhz", allowance.memory_clock_mhz),
      ReadTtl(table, allowance),
      ReadWhole(table, "max_leases", 4096, allowance.max_leases),
  };
  for (const Status& step : steps) {
    if (!step) return Propagate(step);
  }
  if (allowance.people.empty())
    return table.Refuse("names no users or groups", "needs at least one of users and groups");
  return allowance;
}

Result<BaseClocks> ReadBaseClocks(const Toml& table) {
  constexpr std::array<std::string_view, 3> kKeys{"gpus", "core_clock_mhz", "memory_clock_mhz"};
  if (const auto known = table.RefuseOtherKeys(kKeys); !known) return Propagate(known);
  BaseClocks clocks;
  const auto steps = {ReadGpus(table, clocks.gpus), ReadBounds(table, "core_clock_mhz", clocks.core_clock_mhz),
                      ReadBounds(table, "memory_clock_mhz", clocks.memory_clock_mhz)};
  for (const Status& step : steps) {
    if (!step) return Propagate(step);
  }
  if (clocks.core_clock_mhz || clocks.memory_clock_mhz) return clocks;
  return table.Refuse("names no clock", "needs at least one of core_clock_mhz and memory_clock_mhz");
}

// Reads each table of an array of tables, if the array is there.
template <typename T, typename F>
Status ReadTables(const Toml& document, std::string_view key, const F& read, std::vector<T>& into) {
  const Toml* found = document.Find(key);
  if (found == nullptr) return {};
  const auto tables = found->Elements();
  if (!tables) return Propagate(tables);
  for (const Toml& table : **tables) {
    auto one = read(table);
    if (!one) return Propagate(one);
    into.push_back(*std::move(one));
  }
  return {};
}

Result<std::string> ReadTrusted(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied;
    return Fail(code, path, std::strerror(errno), "must be a file that the agent may read");
  }
  struct stat facts {};
  std::string text;
  std::string trouble;
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    trouble = "is not a regular file";
  } else if (facts.st_uid != 0 && facts.st_uid != ::geteuid()) {
    trouble = fmt::format("belongs to user {}", facts.st_uid);
  } else if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    trouble = fmt::format("may be written by others (mode {:o})", facts.st_mode & 07777U);
  } else if (static_cast<std::size_t>(facts.st_size) > kMostConfigBytes) {
    trouble = "is longer than 1 MiB";
  } else {
    text.resize(static_cast<std::size_t>(facts.st_size));
    const ssize_t got = ::read(fd, text.data(), text.size());
    if (got < 0) trouble = std::strerror(errno);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (trouble.empty()) return text;
  return Fail(ErrorCode::kPermissionDenied, path, trouble,
              "must belong to root or the agent's user, and be writable by its owner only");
}

}  // namespace

const std::optional<Bounds>& Allowance::BoundsOf(Knob knob) const {
  return knob == Knob::kPowerLimit ? power_limit_w : knob == Knob::kCoreClock ? core_clock_mhz : memory_clock_mhz;
}

Accounts SystemAccounts() {
  return {[](const std::string& name) -> std::optional<uid_t> {
            const passwd* entry = ::getpwnam(name.c_str());
            return entry == nullptr ? std::nullopt : std::optional(entry->pw_uid);
          },
          [](const std::string& name) -> std::optional<gid_t> {
            const group* entry = ::getgrnam(name.c_str());
            return entry == nullptr ? std::nullopt : std::optional(entry->gr_gid);
          }};
}

Result<Config> ParseConfig(std::string_view text, const std::string& file, const Accounts& accounts) {
  const auto document = Toml::Parse(text, file);
  if (!document) return Propagate(document);
  constexpr std::array<std::string_view, 10> kKeys{
      "socket",       "state",           "audit",        "sample_seconds",
      "hang_seconds", "max_connections", "idle_seconds", "requests_per_second",
      "allow",        "base_clocks"};
  if (const auto known = document->RefuseOtherKeys(kKeys); !known) return Propagate(known);
  Config config;
  const auto steps = {
      ReadPath(*document, "socket", config.socket),
      ReadPath(*document, "state", config.state),
      ReadPath(*document, "audit", config.audit),
      ReadMilliseconds(*document, "sample_seconds", 60.0, config.sample),
      ReadMilliseconds(*document, "hang_seconds", 600.0, config.hang),
      ReadWhole(*document, "max_connections", 10'000, config.max_connections),
      ReadMilliseconds(*document, "idle_seconds", 86'400.0, config.idle),
      ReadRates(*document, config),
  };
  for (const Status& step : steps) {
    if (!step) return Propagate(step);
  }
  const auto read_allowance = [&](const Toml& table) { return ReadAllowance(table, accounts, config.warnings); };
  const auto allow = ReadTables(*document, "allow", read_allowance, config.allowances);
  if (!allow) return Propagate(allow);
  const auto clocks = ReadTables(*document, "base_clocks", ReadBaseClocks, config.base_clocks);
  if (!clocks) return Propagate(clocks);
  return config;
}

Result<Config> ReadConfig(const std::string& path, const Accounts& accounts) {
  const auto text = ReadTrusted(path);
  if (!text) return Propagate(text);
  return ParseConfig(*text, path, accounts);
}

bool Names(const std::vector<std::string>& gpus, const device::Identity& gpu) {
  return std::any_of(gpus.begin(), gpus.end(), [&](const std::string& name) {
    return name == "*" || name == gpu.uuid || name == fmt::format("{}", gpu.index);
  });
}

std::map<Knob, device::Setting> BasesOf(const std::vector<BaseClocks>& tables, const device::Identity& gpu) {
  std::map<Knob, device::Setting> bases;
  const auto add = [&](Knob knob, const std::optional<Bounds>& range) {
    if (!range) return;
    bases.emplace(knob, device::Setting::Clock(knob, Megahertz(range->lowest), Megahertz(range->highest)));
  };
  for (const BaseClocks& table : tables) {
    if (!Names(table.gpus, gpu)) continue;
    add(Knob::kCoreClock, table.core_clock_mhz);
    add(Knob::kMemoryClock, table.memory_clock_mhz);
  }
  return bases;
}

std::string TextOf(Knob knob, const std::optional<Bounds>& bounds) {
  if (!bounds) return "the card's whole range";
  return fmt::format("{} to {} {}", bounds->lowest, bounds->highest, knob == Knob::kPowerLimit ? "W" : "MHz");
}

std::string TextOf(const Allowance& allowance) {
  std::string text = fmt::format("GPU {}", fmt::join(allowance.gpus, ", "));
  for (const Knob knob : allowance.knobs) {
    text += fmt::format("{} {} {}", knob == allowance.knobs.front() ? ":" : ",", device::NameOf(knob),
                        TextOf(knob, allowance.BoundsOf(knob)));
  }
  return text + fmt::format("; up to {}; at most {} leases", FormatDuration(allowance.max_ttl), allowance.max_leases);
}

std::string Explain(const Config& config) {
  std::string text = fmt::format("socket {}\nstate  {}\naudit  {}\n", config.socket, config.state, config.audit);
  text += "root may set everything within each card's range\n";
  for (const Allowance& allowance : config.allowances) {
    text += fmt::format("{} may set {}\n", fmt::join(allowance.people, ", "), TextOf(allowance));
  }
  text += config.allowances.empty() ? "other users may not set anything\n" : "all else is denied\n";
  text +=
      fmt::format("per user: {} writes per second, {} at once; {} reads per second; in total at most {} connections\n",
                  config.writes.per_second, config.writes.burst, config.reads.per_second, config.max_connections);
  for (const BaseClocks& clocks : config.base_clocks) {
    text += fmt::format("without a lease GPU {} has", fmt::join(clocks.gpus, ", "));
    if (clocks.core_clock_mhz) text += " core-clock " + TextOf(Knob::kCoreClock, clocks.core_clock_mhz);
    if (clocks.memory_clock_mhz) text += " memory-clock " + TextOf(Knob::kMemoryClock, clocks.memory_clock_mhz);
    text += "\n";
  }
  for (const std::string& warning : config.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace heliostat::agent
