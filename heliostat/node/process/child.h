#pragma once

#include <sys/poll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/node/process/guard.h"
#include "heliostat/node/process/guard_state.h"
#include "heliostat/node/process/relay.h"
#include "heliostat/node/process/signal_inbox.h"
#include "heliostat/node/process/terminal.h"

namespace heliostat::process {

// The user's program, which runs as it would without Heliostat.
//
// It inherits the caller's input. An observer sees its output, which is passed on unchanged: through a pseudo-terminal
// where the user has a terminal, else through pipes. Output and error share one pipe where they go to the same place,
// so that their order stays. The program has its own process group. Signals that reach Heliostat are passed on, Ctrl-Z
// stops both, and a program that reads the keyboard gets it.
//
// The program outlives Heliostat, held or not, however Heliostat dies, stops or hangs (guard.h). One Child per process
// at a time. The caller calls Poll(), or waits for Wants() and calls Handle(); nothing here waits for anything else.
// Used from one thread, that of Start().
class Child final {
 public:
  // Fails with kNotFound or kPermissionDenied for a program that cannot be started (StatusOfFailedStart()).
  static Result<std::unique_ptr<Child>> Start(const ProgramCommand& command, Observer observer);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Releases the program if it is held. Does not end it.
  ~Child();

  // The files to wait for, for a loop that waits for other files too. Changes with every Handle().
  std::vector<pollfd> Wants() const;
  // Does the pending work without waiting. To be called after each wait, ready or not, and at least every 100 ms. May
  // stop this process while the user stops the program.
  void Handle();
  // Waits for Wants() for at most `timeout` and calls Handle().
  void Poll(std::chrono::milliseconds timeout);

  // True when the program has ended and its output is passed on. Its children may keep the pipes open and write more;
  // the guard passes that on.
  bool is_done() const;
  // Absent until the program has ended.
  const std::optional<Ending>& ending() const { return ending_; }

  // Sends a signal to the program's group. Releases it first, so that it can react.
  void Signal(int number);
  // Stops the program and its descendants, for pacing. Does nothing while the user has the program stopped, and when no
  // guard is there to continue it.
  void Hold();
  void Release();
  bool is_held() const { return is_held_; }
  // For the guards: whether ProgramCommand::restore is to be run when this process dies. Thread-safe.
  void SetOwesCard(bool owes) { state_->owes_card = owes; }

  pid_t pid() const { return pid_; }  // also the id of its group
  // True when the program got the keyboard: see EndLike().
  bool had_terminal() const { return had_keyboard_; }

 private:
  using Clock = std::chrono::steady_clock;

  Child(std::unique_ptr<SignalInbox> inbox, Observer observer);
  Result<ProgramFiles> OpenFiles();
  Result<int> OpenFile(int users);
  Status AwaitStart(const ProgramCommand& command);
  void HandleRelays();
  void HandleSignals();
  void HandleGuards();
  void TakeReport(const GuardReport& report);
  void CollectItself();
  void WakeGuards() const;
  bool HasGuard() const;
  void ListGroups();
  void HandleKeys();
  void Suspend(int number);
  void End(const Ending& ending);

  std::unique_ptr<SignalInbox> inbox_;
  Observer observer_;
  std::vector<Relay> relays_;
  std::optional<OutputTerminal> terminal_;
  Keyboard keyboard_;
  SharedGuardState state_;
  GuardHandles guards_;
  pid_t pid_ = 0;
  std::optional<Ending> ending_;
  Clock::time_point ended_at_;
  Clock::time_point passed_on_at_;  // the last time after the end
  bool is_held_ = false;
  bool has_keyboard_ = false;
  bool had_keyboard_ = false;
  Clock::time_point no_hold_before_;
  Clock::time_point groups_at_;               // when the groups of its descendants were listed
  Clock::time_point looked_at_;               // when the guards were last checked
  std::optional<Clock::time_point> gone_at_;  // when the program was first seen to be gone without a report
};

}  // namespace heliostat::process
