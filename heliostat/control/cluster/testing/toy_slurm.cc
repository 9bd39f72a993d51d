#include "heliostat/control/cluster/testing/toy_slurm.h"

#include <fmt/format.h>

#include <cstdlib>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/split.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster/slurm_records.h"

namespace heliostat::cluster::testing {
namespace {

std::string Seconds(std::optional<Instant> time) {
  return time ? fmt::format("{}", time->time_since_epoch().count()) : "N/A";
}

std::string_view StateWord(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "RUNNING";
    case JobState::kSuspended:
      return "SUSPENDED";
    case JobState::kEnded:
      return "COMPLETED";
    default:
      return "PENDING";
  }
}

std::string_view StateWord(NodeState state) {
  switch (state) {
    case NodeState::kPoweringDown:
      return "IDLE+POWER_DOWN";
    case NodeState::kAsleep:
      return "IDLE+POWERED_DOWN";
    case NodeState::kWaking:
      return "IDLE+POWERING_UP";
    case NodeState::kMixed:
      return "MIXED";
    default:
      return "IDLE";
  }
}

std::string ArrayNumber(const JobRecord& record) {
  if (!record.is_array()) return NumberText(record.key);
  if (record.elements.size() == 1) return fmt::format("{}_{}", record.key.number, record.elements[0]);
  const std::string throttle = record.throttle.value_or(0) > 0 ? fmt::format("%{}", *record.throttle) : "";
  return fmt::format("{}_[{}{}]", record.key.number, ElementsText(record.elements), throttle);
}

// "17,18_3,19_[1-3,7]" at the commas outside of brackets.
std::vector<std::string> JobsIn(const std::string& list) {
  std::vector<std::string> jobs(1);
  bool is_inside = false;
  for (const char c : list) {
    if (c == '[') is_inside = true;
    if (c == ']') is_inside = false;
    if (c == ',' && !is_inside)
      jobs.emplace_back();
    else
      jobs.back() += c;
  }
  return jobs;
}

std::optional<Instant> TimeIn(const std::string& text) {
  if (text == "now") return {};
  const auto time = ParseInstant(text, "toy");
  Check(time.has_value(), "a time cannot be read");
  return *time;
}

std::string After(const std::string& word) { return word.substr(word.find('=') + 1); }

// The words behind `first` as a change.
RecordChange ChangeIn(const std::vector<std::string>& words, std::size_t first) {
  RecordChange change;
  for (std::size_t i = first; i < words.size(); ++i) {
    const std::string key = words[i].substr(0, words[i].find('='));
    const std::string value = After(words[i]);
    if (key == "AdminComment") change.admin_comment = value;
    if (key == "StartTime") change.begin = RecordChange::Begin{TimeIn(value)};
    if (key == "Nice") change.nice = std::atoi(value.c_str());
    if (key == "ArrayTaskThrottle") change.throttle = std::atoi(value.c_str());
  }
  return change;
}

}  // namespace

std::string ToySlurm::Queue(const std::vector<std::string>& command) const {
  std::string separator;
  for (const std::string& word : command) {
    const std::size_t at = word.find('\x1f');
    if (at != std::string::npos) separator = word.substr(at, word.find(',', at) - at);
  }
  const std::vector<std::string> wanted = SplitAtCommas(command.back());
  std::string text;
  for (const JobRecord& record : state_.records) {
    if (std::find(wanted.begin(), wanted.end(), fmt::format("{}", record.key.number)) == wanted.end()) continue;
    const std::int64_t own = record.is_array() ? record.key.number : record.key.number + record.key.element.value_or(0);
    for (const std::string& cell :
         {fmt::format("{}", own), ArrayNumber(record), std::string("N/A"), std::string(StateWord(record.state)),
          std::string(record.state == JobState::kHeld ? "0" : "1"), Seconds(record.key.submit), Seconds(record.begin),
          Seconds(record.kill_at), std::string("5:00"), fmt::format("{}", record.nice),
          std::string(record.may_requeue ? "1" : "0"), fmt::format("{}", record.restarts), record.admin_comment}) {
      text += cell + separator;
    }
    text += '\n';
  }
  return text;
}

std::string ToySlurm::Nodes() const {
  std::string text;
  for (const ClusterNode& node : state_.nodes.nodes) {
    text += fmt::format("NodeName={} State={}{} CPUTot=8\n", node.name, StateWord(node.state),
                        node.is_draining ? "+DRAIN" : "");
  }
  return text;
}

std::string ToySlurm::Reservations() const {
  if (state_.nodes.pins.empty()) return "No reservations in the system\n";
  std::string text;
  for (const Pin& pin : state_.nodes.pins) {
    text += fmt::format("ReservationName=heliostat_{} StartTime=1795020000 EndTime={} Nodes={} Users={}\n", pin.name,
                        Seconds(pin.until), io::CompressHosts(pin.nodes), account_);
  }
  return text;
}

Result<std::string> ToySlurm::Run(const std::vector<std::string>& command, std::chrono::milliseconds, std::size_t) {
  if (state_.is_silent) return Fail(ErrorCode::kUnavailable, command[0], "does not end");
  if (command[0] == "squeue") return queue ? *queue : Queue(command);
  if (command.back() == "ping") return "Slurmctld(primary) at head is UP\n";
  if (command.back() == "node") return Nodes();
  if (command.back() == "reservation") return Reservations();
  return Fail(ErrorCode::kUnavailable, command[0], "is not scripted");
}

void ToySlurm::Update(const std::string& jobs, const RecordChange& change, CommandReply& said) {
  for (const std::string& job : JobsIn(jobs)) {
    const std::size_t bar = job.find('_');
    const std::int64_t number = std::atoll(job.c_str());
    std::optional<int> element;
    if (bar != std::string::npos && job[bar + 1] != '[') element = std::atoi(job.c_str() + bar + 1);
    JobRecord* const record = state_.Address(number, element);
    const Said one = record != nullptr ? state_.Apply(*record, change) : Said{.words = "Invalid job id specified"};
    if (one.words.empty()) continue;
    said.status = 1;
    said.errors += fmt::format("{} for job {}\n", one.words, job);
  }
}

void ToySlurm::Reserve(const std::vector<std::string>& words, CommandReply& said) {
  Pin pin;
  for (const std::string& word : words) {
    if (word.starts_with("ReservationName=heliostat_")) pin.name = word.substr(26);
    if (word.starts_with("EndTime=")) pin.until = *TimeIn(After(word));
    if (word.starts_with("Nodes=")) pin.nodes = *io::ExpandHostlist(After(word));
  }
  for (const Pin& old : state_.nodes.pins) {
    if (words[0] == "update" && old.name == pin.name) pin.nodes = old.nodes;
  }
  const Said one = words[0] == "delete" ? state_.SendUnpin(pin.name) : state_.SendPin(pin, words[0] == "create");
  if (one.words.empty()) return;
  said = {1, "", "Error creating the reservation: " + one.words + "\n"};
}

void ToySlurm::Obey(const std::vector<std::string>& words, CommandReply& said) {
  const bool is_update = words[0] == "update";
  if (is_update && words[1].starts_with("JobId=")) return Update(After(words[1]), ChangeIn(words, 2), said);
  if (is_update && words[1].starts_with("NodeName=")) {
    const Said one = state_.SendPower(*io::ExpandHostlist(After(words[1])), words[2] == "State=POWER_UP");
    if (!one.words.empty()) said = {1, "", "slurm_update error: " + one.words + "\n"};
    return;
  }
  if (words[0] == "suspend") return Update(words[1], {.signal = Signal::kSuspend}, said);
  if (words[0] == "resume") return Update(words[1], {.signal = Signal::kResume}, said);
  if (words[0] == "requeue") return Update(words[1], {.signal = Signal::kRequeue}, said);
  Reserve(words, said);
}

Result<CommandReply> ToySlurm::Send(const std::vector<std::string>& command, std::string_view input,
                                    std::chrono::milliseconds) {
  sent.push_back(command);
  inputs.emplace_back(input);
  if (state_.before_send) state_.before_send();
  if (state_.is_silent || state_.are_orders_lost) return Fail(ErrorCode::kUnavailable, "scontrol", "does not end");
  if (before) {
    if (const auto passed = before(command); !passed) return Propagate(passed);
  }
  CommandReply said;
  if (input.empty()) Obey({command.begin() + 1, command.end()}, said);
  while (!input.empty()) {
    std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(line.size() + 1);
    std::vector<std::string> words;
    while (true) {
      const std::size_t blank = line.find(' ');
      words.emplace_back(line.substr(0, blank));
      if (blank == std::string_view::npos) break;
      line.remove_prefix(blank + 1);
    }
    Obey(words, said);
  }
  return reply ? *reply : said;
}

}  // namespace heliostat::cluster::testing
