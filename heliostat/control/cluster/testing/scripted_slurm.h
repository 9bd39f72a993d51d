#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/command_runner.h"

namespace heliostat::cluster::testing {

// A Slurm that answers each question with a text. Texts are as recorded: cells of squeue and sacct are followed by "¦",
// which becomes the separator that the question names. Without an answer of its own, a question has the recorded one of
// the folder `recorded`: all kinds of jobs on four nodes, release 22.05.8.
class ScriptedSlurm final : public CommandRunner {
 public:
  // `clock` advances by the limit of a question that has no answer.
  explicit ScriptedSlurm(ManualClock& clock) : clock_(clock) {}

  // Questions are named "squeue", "sacct", "show node", "show config" and "ping".
  void Answer(const std::string& question, std::string text) { answers_[question] = std::move(text); }
  void Refuse(const std::string& question, Error error) { errors_[question] = std::move(error); }
  // No question is answered, until Speak().
  void BeSilent() { is_silent_ = true; }
  void Speak() { is_silent_ = false; }

  // The questions so far, in their order.
  const std::vector<std::string>& asked() const { return asked_; }

  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::size_t most_bytes) override;

 private:
  ManualClock& clock_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, Error> errors_;
  std::vector<std::string> asked_;
  bool is_silent_ = false;
};

// A file of the folder `recorded`.
std::string Recorded(const std::string& name);
// `text` with `separator` for every "¦".
std::string WithSeparator(std::string text, std::string_view separator);

}  // namespace heliostat::cluster::testing
