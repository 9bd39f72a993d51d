#include "heliostat/control/cluster/command_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "heliostat/base/core/split.h"
#include "heliostat/node/process/capture.h"

namespace heliostat::cluster {
namespace {

// Options of users' own calls, which would change ours.
constexpr std::array<std::string_view, 11> kForeign{
    "SQUEUE_",     "SACCT_", "SCONTROL_", "SLURM_TIME_FORMAT=", "SINFO_", "SLURM_CLUSTERS=", "SLURM_JSON=",
    "SLURM_YAML=", "TZ=",    "LC_ALL=",   "SLURM_BITSTR_LEN="};

bool IsForeign(std::string_view variable) {
  return std::any_of(kForeign.begin(), kForeign.end(),
                     [&](std::string_view begin) { return variable.starts_with(begin); });
}

// The last line that says something.
std::string_view LastWords(std::string_view errors) {
  errors = Trimmed(errors);
  const std::size_t line_end = errors.rfind('\n');
  return line_end == std::string_view::npos ? errors : errors.substr(line_end + 1);
}

}  // namespace

ProcessRunner::ProcessRunner(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    if (!IsForeign(variable)) environment_.push_back(variable);
  }
  for (const char* const ours : {"SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0", "TZ=UTC", "LC_ALL=C"})
    environment_.emplace_back(ours);
}

Result<std::string> ProcessRunner::Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                                       std::size_t most_bytes) {
  auto captured = process::Capture(command, environment_, {.time = limit, .output_bytes = most_bytes});
  if (!captured) return Propagate(captured);
  if (captured->ending.Status() != 0) {
    const std::string_view words = LastWords(captured->errors.empty() ? captured->output : captured->errors);
    return Fail(ErrorCode::kUnavailable, command[0],
                words.empty() ? fmt::format("ends with status {}", captured->ending.Status()) : Printable(words));
  }
  return std::move(captured->output);
}

Result<CommandReply> ProcessRunner::Send(const std::vector<std::string>& command, std::string_view input,
                                         std::chrono::milliseconds limit) {
  auto captured = process::Capture(command, environment_, {.time = limit}, input);
  if (!captured) return Propagate(captured);
  return CommandReply{captured->ending.Status(), std::move(captured->output), std::move(captured->errors)};
}

}  // namespace heliostat::cluster
