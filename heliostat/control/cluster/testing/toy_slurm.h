#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/control/cluster/command_runner.h"
#include "heliostat/control/cluster/testing/fake_mechanism.h"

namespace heliostat::cluster::testing {

// Slurm's commands over a FakeMechanism: squeue, and scontrol with arguments or lines to read. It reads and prints as
// Slurm 22.05 does, so that the text of commands is tested.
class ToySlurm final : public CommandRunner, public CommandSender {
 public:
  // `account` makes the reservations.
  ToySlurm(FakeMechanism& state, std::string account) : state_(state), account_(std::move(account)) {}

  std::vector<std::vector<std::string>> sent;  // commands that change something
  std::vector<std::string> inputs;             // what they read
  // Looks at a command before it is carried out; an error takes its place.
  std::function<Status(const std::vector<std::string>&)> before;
  // Takes the place of every answer to a change, after it is carried out.
  std::optional<CommandReply> reply;
  // Takes the place of an answer of squeue.
  std::optional<std::string> queue;

  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::size_t most_bytes) override;
  Result<CommandReply> Send(const std::vector<std::string>& command, std::string_view input,
                            std::chrono::milliseconds limit) override;

 private:
  std::string Queue(const std::vector<std::string>& command) const;
  std::string Nodes() const;
  std::string Reservations() const;
  void Obey(const std::vector<std::string>& words, CommandReply& reply);
  void Update(const std::string& jobs, const RecordChange& change, CommandReply& reply);
  void Reserve(const std::vector<std::string>& words, CommandReply& reply);

  FakeMechanism& state_;
  std::string account_;
};

}  // namespace heliostat::cluster::testing
