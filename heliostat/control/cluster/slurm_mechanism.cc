#include "heliostat/control/cluster/slurm_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster/slurm_cells.h"
#include "heliostat/control/cluster/slurm_nodes.h"
#include "heliostat/control/cluster/slurm_records.h"

namespace heliostat::cluster {
namespace {

constexpr std::size_t kMostNumbers = 1000;  // that squeue is asked for; for more it lists all
constexpr std::size_t kLongestLine = 2000;  // that scontrol reads; a longer one is a command of its own
constexpr std::size_t kMostLines = 500;     // of one scontrol

// A time as scontrol reads it, in the zone of its environment: UTC.
std::string TimeText(Instant time) {
  std::string text = FormatInstant(time);
  text.pop_back();  // the "Z"
  return text;
}

// How scontrol names the record, or one of its elements.
std::string AddressOf(const RecordOrder& order) {
  const JobRecord& record = order.record;
  if (order.element) return fmt::format("{}_{}", record.key.number, *order.element);
  if (!record.is_array()) return NumberText(record.key);
  // Not the number alone: it means the running elements too.
  return fmt::format("{}_[{}]", record.key.number, ElementsText(record.elements));
}

std::vector<std::string> Settings(const RecordChange& change) {
  std::vector<std::string> settings;
  if (change.admin_comment) settings.push_back("AdminComment=" + *change.admin_comment);
  if (change.begin) settings.push_back("StartTime=" + (change.begin->at ? TimeText(*change.begin->at) : "now"));
  if (change.nice) settings.push_back(fmt::format("Nice={}", *change.nice));
  if (change.throttle) settings.push_back(fmt::format("ArrayTaskThrottle={}", *change.throttle));
  return settings;
}

std::string_view WordOf(Signal signal) {
  switch (signal) {
    case Signal::kSuspend:
      return "suspend";
    case Signal::kResume:
      return "resume";
    case Signal::kRequeue:
      return "requeue";
  }
  return "";
}

// A command without its jobs: "update" and the settings, or "suspend".
using Verb = std::vector<std::string>;

struct Line {
  std::vector<std::string> words;   // behind "scontrol"
  std::vector<std::size_t> orders;  // whose jobs it names
  std::size_t length = 0;
};

Verb UpdateVerb(const RecordChange& change) {
  Verb verb{"update"};
  for (std::string& setting : Settings(change)) verb.push_back(std::move(setting));
  return verb;
}

// Jobs with the same change share lines.
std::vector<Line> LinesFor(const std::vector<RecordOrder>& orders) {
  std::vector<std::pair<Verb, std::vector<std::size_t>>> groups;
  std::map<Verb, std::size_t> places;
  const auto add = [&](Verb verb, std::size_t order) {
    const auto [place, is_new] = places.emplace(verb, groups.size());
    if (is_new) groups.emplace_back(std::move(verb), std::vector<std::size_t>{});
    groups[place->second].second.push_back(order);
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (auto verb = UpdateVerb(orders[i].change); verb.size() > 1) add(std::move(verb), i);
    if (orders[i].change.signal) add({std::string(WordOf(*orders[i].change.signal))}, i);
  }
  std::vector<Line> lines;
  for (const auto& group : groups) {
    const Verb& verb = group.first;
    std::string jobs;
    Line line;
    const auto finish = [&] {
      line.words = verb;
      line.words.insert(line.words.begin() + 1, verb[0] == "update" ? "JobId=" + jobs : jobs);
      for (const std::string& word : line.words) line.length += word.size() + 1;
      lines.push_back(std::exchange(line, {}));
      jobs.clear();
    };
    for (const std::size_t order : group.second) {
      const std::string address = AddressOf(orders[order]);
      if (!jobs.empty() && jobs.size() + address.size() > kLongestLine / 2) finish();
      jobs += (jobs.empty() ? "" : ",") + address;
      line.orders.push_back(order);
    }
    finish();
  }
  return lines;
}

// What scontrol reads from its input as it is: no blanks, quotes or line ends.
bool MayBeRead(const Line& line) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:=,;/+-%[]";
  return line.length <= kLongestLine && std::all_of(line.words.begin(), line.words.end(), [&](const std::string& word) {
           return word.find_first_not_of(kPlain) == std::string::npos;
         });
}

bool IsAbout(std::string_view line, const JobRecord& record, std::optional<int> element) {
  const std::string number = fmt::format("{}", record.key.number);
  JobKey key = record.key;
  if (element) key.element = element;
  for (const std::string& name : {NumberText(key), number}) {
    if (line.ends_with(" job " + name) || line.starts_with(name + ": ")) return true;
  }
  return line.starts_with(number + "_") || line.find(" job " + number + "_") != std::string_view::npos;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = Trimmed(text.substr(0, end)); !line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Said SaidOf(std::string_view words) {
  Said said;
  said.words = Printable(words);
  said.lacks_right =
      words.find("denied") != std::string_view::npos || words.find("Invalid user id") != std::string_view::npos;
  // Slurm's words for a controller that does not answer, one of them misleading.
  for (const std::string_view lost : {"Unable to contact", "Unexpected message received", "authentication"}) {
    if (words.find(lost) != std::string_view::npos) said.is_answered = false;
  }
  return said;
}

Said SaidAbout(const CommandReply& reply, const RecordOrder& order) {
  std::string_view general;
  for (const std::string_view line : LinesOf(reply.errors)) {
    if (IsAbout(line, order.record, order.element)) return SaidOf(line);
    const bool names_job = line.find(" for job ") != std::string_view::npos || (line[0] >= '0' && line[0] <= '9');
    if (!names_job) general = line;
  }
  return SaidOf(general);
}

}  // namespace

SlurmMechanism::SlurmMechanism(CommandRunner& commands, CommandSender& sender, const Clock& clock, RandomStream random,
                               std::string account, const SlurmLimits& limits, const Patience& patience)
    : commands_(commands),
      sender_(sender),
      random_(random),
      account_(std::move(account)),
      limits_(limits),
      call_(commands, clock, limits, patience) {}

Rights SlurmMechanism::AskRights() {
  const auto all = [](bool may, std::string source) { return Rights{may, may, may, may, std::move(source)}; };
  const auto config = call_.Ask({"scontrol", "show", "config"});
  if (!config) return {.source = config.error().Line()};
  std::string_view owner;
  bool has_accounts = false;
  for (const std::string_view line : LinesOf(*config)) {
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) continue;
    const std::string_view value = Trimmed(line.substr(sign + 1));
    if (Trimmed(line.substr(0, sign)) == "SlurmUser") owner = value.substr(0, value.find('('));
    if (Trimmed(line.substr(0, sign)) == "AccountingStorageType") has_accounts = value == "accounting_storage/slurmdbd";
  }
  if (account_ == "root" || account_ == owner) return all(true, "SlurmUser or root");
  if (!has_accounts) return all(false, "without slurmdbd only root and SlurmUser have rights");
  const auto answer = commands_.Run({"sacctmgr", "-n", "-P", "show", "user", "name=" + account_, "format=AdminLevel"},
                                    limits_.look, limits_.look_bytes);
  if (!answer) return {.source = answer.error().Line()};
  const std::string_view level = Trimmed(*answer);
  if (level == "Administrator") return all(true, "AdminLevel=Administrator");
  if (level == "Operator") return {true, true, false, true, "AdminLevel=Operator"};
  if (level == "None" || level.empty()) return all(false, "AdminLevel=None");
  return {.source = fmt::format("AdminLevel={}", Printable(level, 40))};
}

Result<std::vector<JobRecord>> SlurmMechanism::Records(const std::vector<std::int64_t>& numbers) {
  const std::string separator = DrawSeparator(random_);
  std::vector<std::string> command{"squeue", "-h", "-a", "--array-unique", "-t", "all", "-O", RecordFormat(separator)};
  if (!numbers.empty() && numbers.size() <= kMostNumbers) {
    // The first one twice: squeue fails for one number alone that is not known, but not for two.
    std::string list = fmt::format("{}", numbers[0]);
    for (const std::int64_t number : numbers) list += fmt::format(",{}", number);
    command.insert(command.end(), {"-j", list});
  }
  const auto text = call_.Ask(command);
  if (!text) return Propagate(text);
  return ParseRecords(*text, separator);
}

std::vector<Said> SlurmMechanism::Send(const std::vector<RecordOrder>& orders) {
  std::vector<Said> said(orders.size());
  const std::vector<Line> lines = LinesFor(orders);
  const auto send = [&](const std::vector<std::string>& command, const std::string& input,
                        const std::vector<const Line*>& sent) {
    const auto reply = sender_.Send(command, input, limits_.act);
    for (const Line* line : sent) {
      for (const std::size_t i : line->orders) {
        const Said one = reply ? SaidAbout(*reply, orders[i]) : Said{false, false, reply.error().Line()};
        // Of several lines for one job, the first trouble counts.
        if (said[i].is_answered && said[i].words.empty()) said[i] = one;
      }
    }
  };
  std::vector<const Line*> read;
  std::string input;
  const auto flush = [&] {
    if (!read.empty()) send({"scontrol"}, input, read);
    read.clear();
    input.clear();
  };
  for (const Line& line : lines) {
    if (lines.size() > 1 && MayBeRead(line)) {
      for (const std::string& word : line.words) input.append(word).append(" ");
      input.back() = '\n';
      read.push_back(&line);
      if (read.size() == kMostLines) flush();
      continue;
    }
    std::vector<std::string> command{"scontrol"};
    command.insert(command.end(), line.words.begin(), line.words.end());
    send(command, "", {&line});
  }
  flush();
  return said;
}

Result<NodeSituation> SlurmMechanism::Nodes() {
  auto text = call_.Ask({"scontrol", "-a", "-d", "-o", "show", "node"});
  if (!text) return Propagate(text);
  auto nodes = ParseNodes(*text);
  if (!nodes) return Propagate(nodes);
  text = call_.Ask({"scontrol", "-a", "-o", "show", "reservation"});
  if (!text) return Propagate(text);
  auto reservations = ParseReservations(*text, account_);
  if (!reservations) return Propagate(reservations);
  return NodeSituation{std::move(nodes->nodes), std::move(reservations->pins), std::move(reservations->others)};
}

Said SlurmMechanism::SendOne(const std::vector<std::string>& command) {
  const auto reply = sender_.Send(command, "", limits_.act);
  if (!reply) return {false, false, reply.error().Line()};
  const auto lines = LinesOf(reply->errors);
  return SaidOf(lines.empty() ? "" : lines.back());
}

Said SlurmMechanism::SendPower(const std::vector<std::string>& nodes, bool is_up) {
  return SendOne(
      {"scontrol", "update", "NodeName=" + io::CompressHosts(nodes), is_up ? "State=POWER_UP" : "State=POWER_DOWN"});
}

Said SlurmMechanism::SendPin(const Pin& pin, bool is_new) {
  const std::string name = fmt::format("ReservationName={}{}", kPinPrefix, pin.name);
  const std::string until = "EndTime=" + TimeText(pin.until);
  if (!is_new) return SendOne({"scontrol", "update", name, until});
  return SendOne({"scontrol", "create", "reservation", name, "StartTime=now", until,
                  "Nodes=" + io::CompressHosts(pin.nodes), "Users=" + account_});
}

Said SlurmMechanism::SendUnpin(const std::string& name) {
  return SendOne({"scontrol", "delete", fmt::format("ReservationName={}{}", kPinPrefix, name)});
}

}  // namespace heliostat::cluster
