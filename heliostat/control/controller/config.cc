#include "heliostat/control/controller/config.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "heliostat/base/core/names.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/base/io/toml_members.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/model/scenario/read_group.h"
#include "heliostat/model/workload/job_comment.h"
#include "heliostat/node/munge_channel/munge_server.h"

namespace heliostat::controller {
namespace {

using io::Toml;
using io::TomlMembers;

constexpr std::array<std::string_view, 14> kKeys{
    "mode", "state",  "socket", "policy", "poll_seconds", "planning_seconds", "operators", "cluster", "signals",
    "site", "groups", "agents", "api",    "remote"};
constexpr std::array<std::string_view, 4> kClusterKeys{"kind", "partitions", "default_slack", "partition_slack"};
constexpr std::array<std::string_view, 3> kSignalKeys{"carbon", "price", "renewable"};
constexpr std::array<std::string_view, 7> kOneSignalKeys{"file",        "column",          "unit", "provider", "zone",
                                                         "replay_from", "carbon_g_per_kwh"};
constexpr std::array<std::string_view, 3> kSiteKeys{"pue", "currency", "step_minutes"};
constexpr std::array<std::string_view, 3> kRemoteKeys{"listen", "names", "munge_socket"};
constexpr auto kModes = NamesOf<Mode>({{Mode::kObserve, "observe"}, {Mode::kShadow, "shadow"}});

class Reader {
 public:
  Reader(const Toml& document, const std::string& file) : document_(document) {
    config_.file = file;
    folder_ = std::filesystem::path(file).parent_path();
  }

  Result<Config> Read() {
    for (const auto step : {&Reader::ReadTop, &Reader::ReadCluster, &Reader::ReadSignals, &Reader::ReadSite,
                            &Reader::ReadGroups, &Reader::ReadRemote, &Reader::WarnOfUnused}) {
      if (const Status bad = (this->*step)(); !bad) return Propagate(bad);
    }
    return std::move(config_);
  }

 private:
  Status ReadTop() {
    TomlMembers members(document_, kKeys);
    if (document_.Find("mode") != nullptr) {
      const std::string name = members.Text("mode");
      if (!members.status()) return members.status();
      const auto mode = ModeNamed(name, document_.Find("mode")->where() + ": mode");
      if (!mode) return Propagate(mode);
      config_.mode = *mode;
    }
    TakeText(members, "state", config_.state);
    TakeText(members, "socket", config_.socket);
    config_.state = Absolute(config_.state);
    config_.socket = Absolute(config_.socket);
    TakeText(members, "policy", config_.policy);
    config_.poll = SecondsIn(members, "poll_seconds", config_.poll, 1, 300);
    config_.planning = SecondsIn(members, "planning_seconds", config_.planning, 0, 300);
    if (!members.status()) return members.status();
    if (const auto known = policy::Describe(config_.policy); !known && document_.Find("policy") != nullptr) {
      return document_.Find("policy")->Refuse(known.error().what, known.error().allowed);
    }
    return ReadTexts(document_, "operators", config_.operators);
  }

  Status ReadCluster() {
    const Toml* const table = document_.Find("cluster");
    if (table == nullptr) return {};
    TomlMembers members(*table, kClusterKeys);
    const std::string kind = members.TextOrNone("kind");
    if (!kind.empty() && kind != "slurm") members.Refuse("kind", "is " + Quoted(kind), "must be slurm");
    if (!members.status()) return members.status();
    if (const Status bad = ReadTexts(*table, "partitions", config_.partitions); !bad) return bad;
    if (const Toml* const slack = table->Find("default_slack")) {
      if (const Status bad = ReadSlack(*slack, config_.default_slack); !bad) return bad;
    }
    const Toml* const by_partition = table->Find("partition_slack");
    if (by_partition == nullptr) return {};
    const auto entries = by_partition->Members();
    if (!entries) return Propagate(entries);
    for (const auto& [partition, slack] : **entries) {
      if (const Status bad = ReadSlack(slack, config_.partition_slack[partition]); !bad) return bad;
    }
    return {};
  }

  Status ReadSignals() {
    const Toml* const table = document_.Find("signals");
    if (table == nullptr) return {};
    if (const Status bad = table->RefuseOtherKeys(kSignalKeys); !bad) return bad;
    for (const auto& [key, into] : {std::pair{"carbon", &config_.carbon}, std::pair{"price", &config_.price},
                                    std::pair{"renewable", &config_.renewable}}) {
      const Toml* const signal = table->Find(key);
      if (signal == nullptr) continue;
      if (const Status bad = ReadSignal(*signal, into->emplace()); !bad) return bad;
    }
    return {};
  }

  Status ReadSignal(const Toml& table, SignalConfig& signal) {
    TomlMembers members(table, kOneSignalKeys);
    signal.file = members.TextOrNone("file");
    signal.column = members.TextOrNone("column");
    signal.unit = members.TextOrNone("unit");
    signal.provider = members.TextOrNone("provider");
    signal.zone = members.TextOrNone("zone");
    if (table.Find("replay_from") != nullptr) signal.replay_from = members.Time("replay_from");
    const double carbon = members.NumberOr("carbon_g_per_kwh", 0.0);
    if (!(carbon >= 0.0 && carbon <= 2000.0))
      members.Refuse("carbon_g_per_kwh", fmt::format("is {}", carbon), "must be from 0 to 2000");
    signal.carbon = GramsPerKwh(carbon);
    if (!members.status()) return members.status();
    if (signal.file.empty() == signal.provider.empty()) {
      return table.Refuse(signal.file.empty() ? "has neither file nor provider" : "has both file and provider",
                          "one of the two");
    }
    if (!signal.provider.empty() && signal.zone.empty())
      return table.Refuse("has a provider without a zone", "add zone = \"…\"");
    if (!signal.file.empty()) signal.file = Absolute(signal.file);
    return {};
  }

  Status ReadSite() {
    const Toml* const table = document_.Find("site");
    if (table == nullptr) return {};
    TomlMembers members(*table, kSiteKeys);
    config_.pue = members.NumberOr("pue", config_.pue);
    if (!(config_.pue >= 1.0 && config_.pue <= 5.0))
      members.Refuse("pue", fmt::format("is {}", config_.pue), "must be from 1 to 5");
    const std::string currency = members.TextOrNone("currency");
    config_.currency = Currency::Parse(currency);
    if (!currency.empty() && !config_.currency) {
      members.Refuse("currency", "is " + Quoted(currency), "must be an ISO 4217 code such as EUR");
    }
    if (table->Find("step_minutes") != nullptr) {
      const std::int64_t minutes = members.Integer("step_minutes");
      if (minutes < 1 || minutes > 60 || 60 % minutes != 0) {
        members.Refuse("step_minutes", fmt::format("is {}", minutes), "must divide an hour, such as 5, 15 or 60");
      }
      config_.step = std::chrono::minutes(minutes);
    }
    return members.status();
  }

  Status ReadGroups() {
    const Toml* const groups = document_.Find("groups");
    if (groups == nullptr) return {};
    const auto elements = groups->Elements();
    if (!elements) return Propagate(elements);
    for (const Toml& element : **elements) {
      if (const Status bad = ReadGroup(element); !bad) return bad;
      for (std::size_t g = 0; g + 1 < config_.groups.size(); ++g) {
        if (config_.groups[g].group.name != config_.groups.back().group.name) continue;
        return element.Find("name")->Refuse("is that of an earlier group", "names must differ");
      }
    }
    return {};
  }

  Status ReadGroup(const Toml& element) {
    std::vector<std::string_view> keys(scenario::kGroupKeys.begin(), scenario::kGroupKeys.end());
    keys.emplace_back("gpu_busy_w");
    TomlMembers members(element, keys);
    GroupConfig group;
    scenario::ReadNodeClass(members, group.group);
    if (element.Find("gpu_busy_w") != nullptr) group.gpu_busy = Watts{members.Number("gpu_busy_w")};
    if (group.gpu_busy && !(group.gpu_busy->value > 0.0 && group.gpu_busy->value <= 1e5)) {
      members.Refuse("gpu_busy_w", fmt::format("is {}", group.gpu_busy->value), "must be above 0, and at most 100000");
    }
    if (!members.status()) return members.status();
    const auto nodes = element.Get("nodes");
    if (!nodes) return Propagate(nodes);
    if (const auto hosts = (*nodes)->Text()) {
      auto names = io::ExpandHostlist(*hosts);
      if (!names) return (*nodes)->Refuse(names.error().what, names.error().allowed);
      group.nodes = *std::move(names);
      group.group.nodes = static_cast<int>(group.nodes.size());
    } else {
      group.group.nodes = members.Count("nodes");
    }
    if (!members.status()) return members.status();
    config_.groups.push_back(std::move(group));
    return scenario::RefuseAt(element, scenario::GroupFlaw(config_.groups.back().group));
  }

  Status ReadRemote() {
    const Toml* const table = document_.Find("remote");
    if (table == nullptr) return {};
    TomlMembers members(*table, kRemoteKeys);
    const std::string listen = members.Text("listen");
    RemoteConfig remote;
    remote.munge_socket = members.TextOrNone("munge_socket");
    if (!members.status()) return members.status();
    const auto address = munge_channel::ParseHostPort(listen, 0, "listen");
    const Toml& at = *table->Find("listen");
    if (!address) return at.Refuse("is " + address.error().what, address.error().allowed);
    if (!munge_channel::IsNumeric(address->host)) {
      return at.Refuse("has the name " + Quoted(address->host),
                       "an address of this host in numbers, or 0.0.0.0 or [::]");
    }
    remote.listen = *address;
    if (!remote.munge_socket.empty()) remote.munge_socket = Absolute(remote.munge_socket);
    if (const Status bad = ReadTexts(*table, "names", remote.names); !bad) return bad;
    if (remote.names.empty()) remote.names = munge_channel::NamesOfThisHost();
    config_.remote = std::move(remote);
    return {};
  }

  Status WarnOfUnused() {
    if (document_.Find("agents") != nullptr) {
      config_.warnings.emplace_back("[agents] has no effect yet: power is estimated, and nothing is capped");
    }
    if (document_.Find("api") != nullptr)
      config_.warnings.emplace_back("[api] has no effect yet: there is no HTTP service");
    if (!config_.carbon && !config_.price) {
      config_.warnings.emplace_back("[signals] names neither carbon nor price: only energy is accounted");
    }
    return {};
  }

  static std::string Quoted(const std::string& text) { return "'" + Printable(text, 40) + "'"; }
  std::string Absolute(const std::string& path) const {
    return std::filesystem::absolute(folder_ / path).lexically_normal().string();
  }
  static void TakeText(TomlMembers& members, std::string_view key, std::string& into) {
    const std::string text = members.TextOrNone(key);
    if (!text.empty()) into = text;
  }
  Duration SecondsIn(TomlMembers& members, std::string_view key, Duration otherwise, int least, int most) const {
    if (document_.Find(key) == nullptr) return otherwise;
    const std::int64_t value = members.Integer(key);
    if (value < least || value > most) {
      members.Refuse(key, fmt::format("is {}", value), fmt::format("must be from {} to {}", least, most));
    }
    return Duration{value};
  }
  static Status ReadTexts(const Toml& table, std::string_view key, std::vector<std::string>& into) {
    const Toml* const list = table.Find(key);
    if (list == nullptr) return {};
    const auto elements = list->Elements();
    if (!elements) return Propagate(elements);
    for (const Toml& element : **elements) {
      const auto text = element.Text();
      if (!text) return Propagate(text);
      into.push_back(*text);
    }
    return {};
  }
  static Status ReadSlack(const Toml& value, double& into) {
    const auto text = value.Text();
    if (!text) return Propagate(text);
    const auto share = workload::ParseSlack(*text, value.key());
    if (!share) return value.Refuse(share.error().what, share.error().allowed);
    into = *share;
    return {};
  }

  const Toml& document_;
  std::filesystem::path folder_;
  Config config_;
};

std::string InWords(const std::optional<SignalConfig>& signal, std::string_view otherwise) {
  if (!signal) return std::string(otherwise);
  if (signal->file.empty()) return "provider " + signal->provider + ", zone " + signal->zone;
  return signal->file + (signal->column.empty() ? "" : ", column " + signal->column) +
         (signal->replay_from ? ", replayed from " + FormatInstant(*signal->replay_from) : "");
}

std::string ListOf(const std::vector<std::string>& items, std::string_view otherwise) {
  return items.empty() ? std::string(otherwise) : fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace

std::string_view NameOf(Mode mode) { return kModes.NameOf(mode); }

Result<Mode> ModeNamed(std::string_view name, std::string_view where) {
  for (const Mode mode : {Mode::kObserve, Mode::kShadow}) {
    if (name == NameOf(mode)) return mode;
  }
  if (name == "live") {
    return Fail(ErrorCode::kUnsupported, std::string(where), "is live, which this version cannot do yet",
                "observe or shadow");
  }
  return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("is '{}'", Printable(name, 40)),
              "must be observe or shadow");
}

Result<Config> ParseConfig(const std::string& text, const std::string& file) {
  const auto document = Toml::Parse(text, file);
  if (!document) return Propagate(document);
  return Reader(*document, file).Read();
}

Result<Config> ReadConfig(const std::string& file) {
  const auto text = io::ReadTextFile(file);
  if (!text) return Propagate(text);
  return ParseConfig(*text, file);
}

std::string Explain(const Config& config) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  line("mode", config.mode == Mode::kObserve ? "observe: accounts only"
                                             : "shadow: decides with " + config.policy + ", and changes nothing");
  line("state", config.state);
  line("socket", config.socket);
  line("remote", config.remote ? fmt::format("listens at {} as {}, for users that MUNGE vouches for",
                                             config.remote->listen.Text(), fmt::join(config.remote->names, ", "))
                               : "none: commands of this host only");
  line("looks", "every " + FormatDuration(config.poll));
  if (config.mode == Mode::kShadow) {
    line("plans", config.planning > Duration{0} ? "at most " + FormatDuration(config.planning) + " each"
                                                : "as long as they take");
  }
  line("partitions", ListOf(config.partitions, "all"));
  line("default slack", config.default_slack > 0.0 ? fmt::format("{:g} % of the time limit, for jobs that say nothing",
                                                                 100 * config.default_slack)
                                                   : "none: jobs that say nothing are left alone");
  for (const auto& [partition, share] : config.partition_slack) {
    line("", fmt::format("{:g} % in partition {}", 100 * share, partition));
  }
  line("carbon", InWords(config.carbon, "none"));
  line("price", InWords(config.price, "none"));
  line("on-site power", InWords(config.renewable, "none"));
  line("site", fmt::format("PUE {:g}, slots of {}{}", config.pue, FormatDuration(config.step),
                           config.currency ? ", prices in " + std::string(config.currency->code()) : ""));
  if (config.groups.empty())
    line("groups", "from the cluster's nodes, with the watts of the built-in library (estimated)");
  for (const GroupConfig& group : config.groups) {
    line("group " + group.group.name, fmt::format("{} nodes of {} {}, {:g} W a node without GPUs, {:g} W an idle GPU",
                                                  group.group.nodes, group.group.gpus_per_node, group.group.gpu,
                                                  group.group.node_base.value, group.group.gpu_idle.value));
  }
  line("operators", ListOf(config.operators, "root only"));
  for (const std::string& warning : config.warnings) line("warning", warning);
  return text;
}

}  // namespace heliostat::controller
