#pragma once

#include <sys/poll.h>
#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/node/process/guard.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/process/relay.h"
#include "heliostat/node/process/signal_inbox.h"
#include "heliostat/node/process/terminal.h"

namespace heliostat::process {

// The user's program, run as if Heliostat were not there.
//
// It has the caller's input as it is. What it writes is shown to an observer and passed on unchanged: through a
// pseudo-terminal where the user has a terminal, else through pipes, one for both output and error where they go to the
// same place, so that their order stays. It is a process group of its own. Signals that reach Heliostat are passed on,
// Ctrl-Z stops both, and the keyboard is given to a program that wants to read it.
//
// It outlives Heliostat, held or not, whatever Heliostat dies of (guard.h). One at a time in a process, no threads:
// somebody calls Poll(), or polls Wants() and calls Handle(). From the same thread as Start().
class Child final : public Program {
 public:
  // Fails with kNotFound or kPermissionDenied for a program that cannot be started (StatusOfFailedStart()).
  static Result<std::unique_ptr<Child>> Start(const ProgramCommand& command, Observer observer);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Lets the program go on if it is held. Does not end it.
  ~Child() override;

  // For a loop that waits for other files too: what to wait for. Changes with every Handle().
  std::vector<pollfd> Wants() const;
  // After waiting, ready or not, at least every 100 ms: whatever there is to do, without waiting. May stop this process
  // for as long as the user stops the program.
  void Handle();
  // Both: waits at most so long.
  void Poll(std::chrono::milliseconds timeout) override;

  // Ended, and what it left in the pipes passed on. Those of its children who still have them open may write on: the
  // guard sees to it.
  bool is_done() const override;
  // Once it has ended.
  const std::optional<Ending>& ending() const { return ending_; }

  // To its whole group; lets it go on first, so that it can act on it.
  void Signal(int number);
  // Nothing happens while the user has it stopped.
  void Hold() override;
  void Release() override;
  bool is_held() const override { return is_held_; }

  pid_t pid() const { return pid_; }  // its group's number too
  // It was given the keyboard: see EndLike().
  bool had_terminal() const { return had_keyboard_; }

 private:
  using Clock = std::chrono::steady_clock;

  Child(std::unique_ptr<SignalInbox> inbox, Observer observer);
  Result<ProgramFiles> OpenFiles();
  Result<int> OpenFile(int users);
  Status AwaitStart(const ProgramCommand& command);
  void HandleRelays();
  void HandleSignals();
  void HandleGuard();
  void Suspend(int number);
  void End(const Ending& ending);
  void SignalTree(int number);

  std::unique_ptr<SignalInbox> inbox_;
  Observer observer_;
  std::vector<Relay> relays_;
  std::optional<OutputTerminal> terminal_;
  Keyboard keyboard_;
  GuardHandle guard_;
  pid_t pid_ = 0;
  std::optional<Ending> ending_;
  Clock::time_point ended_at_;
  Clock::time_point passed_on_at_;  // the last time since
  bool is_held_ = false;
  bool has_keyboard_ = false;
  bool had_keyboard_ = false;
  Clock::time_point no_hold_before_;
  std::vector<pid_t> groups_;  // of those who descend from it and are not in its own
  Clock::time_point groups_at_;
};

}  // namespace heliostat::process
