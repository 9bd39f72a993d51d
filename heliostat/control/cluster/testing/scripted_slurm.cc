#include "heliostat/control/cluster/testing/scripted_slurm.h"

#include "heliostat/base/core/check.h"
#include "heliostat/base/io/file.h"

namespace heliostat::cluster::testing {
namespace {

std::string QuestionOf(const std::vector<std::string>& command) {
  if (command[0] != "scontrol") return command[0];
  if (command.back() == "ping") return "ping";
  return "show " + command.back();
}

// What the question wants behind each cell.
std::string SeparatorIn(const std::vector<std::string>& command) {
  for (const std::string& argument : command) {
    const std::size_t at = argument.find('\x1f');
    if (at != std::string::npos) return argument.substr(at, argument.find(',', at) - at);
  }
  return "";
}

}  // namespace

std::string Recorded(const std::string& name) {
  const auto text = io::ReadFile(HELIOSTAT_SOURCE_DIR "/heliostat/control/cluster/testing/recorded/" + name);
  Check(text.has_value(), "a recorded answer cannot be read");
  return *text;
}

std::string WithSeparator(std::string text, std::string_view separator) {
  constexpr std::string_view kRecorded = "¦";
  for (std::size_t at = 0; (at = text.find(kRecorded, at)) != std::string::npos; at += separator.size()) {
    text.replace(at, kRecorded.size(), separator);
  }
  return text;
}

Result<std::string> ScriptedSlurm::Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                                       std::size_t most_bytes) {
  const std::string question = QuestionOf(command);
  asked_.push_back(question);
  if (is_silent_) {
    clock_.Advance(limit);
    return Fail(ErrorCode::kUnavailable, command[0], "does not end");
  }
  if (const auto error = errors_.find(question); error != errors_.end()) return tl::unexpected<Error>(error->second);
  const auto scripted = answers_.find(question);
  std::string text = scripted != answers_.end()  ? scripted->second
                     : question == "squeue"      ? Recorded("squeue.txt")
                     : question == "sacct"       ? Recorded("sacct.txt")
                     : question == "show node"   ? Recorded("nodes.txt")
                     : question == "show config" ? Recorded("config.txt")
                                                 : "Slurmctld(primary) at head is UP\n";
  text = WithSeparator(std::move(text), SeparatorIn(command));
  if (text.size() > most_bytes) return Fail(ErrorCode::kCorrupt, command[0], "writes too much");
  return text;
}

}  // namespace heliostat::cluster::testing
