#include "heliostat/node/training_run/supervise.h"

#include <pthread.h>
#include <sys/resource.h>

#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include "heliostat/base/core/log.h"
#include "heliostat/node/process/followed_program.h"
#include "heliostat/signals/provider/registry.h"

namespace heliostat::training_run {
namespace {

// How long an ended program's GPUs and ledger may take to be put in order. A driver that hangs takes for ever.
constexpr std::chrono::seconds kPatience{10};

using Control = std::function<void(process::Program&)>;

// Keys are for Heliostat's requests, not for the program.
std::vector<std::string> KeyVariables() {
  std::vector<std::string> names;
  for (const provider::ProviderFacts& facts : provider::ProviderList()) {
    for (const std::string_view key : facts.keys) {
      names.emplace_back(key);
      names.push_back(std::string(key) + "_FILE");
    }
  }
  return names;
}

// A core dump of this process would hold keys.
void WriteNoCoreDump() {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
}

// Runs the control of a program in a thread. The thread may hang in a driver: then it is left alone, and the process
// must end without destructors. Thread-safe.
class ControlThread {
 public:
  ControlThread(const Control& control, process::Program& program) {
    // Signals are for the thread that follows the program.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this, &control, &program] { Go(control, program); });
    } catch (const std::exception& failure) {
      Log(LogLevel::kWarning, "the program runs at its default: {}", failure.what());
      is_over_ = true;
    }
    (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ControlThread(const ControlThread&) = delete;
  ControlThread& operator=(const ControlThread&) = delete;
  ~ControlThread() {
    if (thread_.joinable()) thread_.join();
  }

  // False when the thread has not ended in time.
  bool AwaitEnd(std::chrono::seconds longest) {
    std::unique_lock hold(mutex_);
    return ended_.wait_for(hold, longest, [this] { return is_over_; });
  }

 private:
  void Go(const Control& control, process::Program& program) {
    try {
      control(program);
    } catch (const std::exception& failure) {
      Log(LogLevel::kError, "{}; the program runs on", failure.what());
    }
    {
      const std::lock_guard hold(mutex_);
      is_over_ = true;
    }
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace

process::ProgramCommand CommandFor(const std::vector<std::string>& argv, const StepTracker& tracker,
                                   const std::vector<std::string>& restore) {
  process::ProgramCommand command{argv, {}, KeyVariables(), restore};
  if (!tracker.steps_path().empty()) command.environment = {{"HELIOSTAT_STEPS", tracker.steps_path()}};
  return command;
}

SupervisedEnd Supervise(const process::ProgramCommand& command, const std::function<void(process::Program&)>& control,
                        const std::string& lost) {
  auto program = process::FollowedProgram::Start(command);
  if (!program) return {{process::StatusOfFailedStart(program.error()), 0}, false, program.error()};
  WriteNoCoreDump();
  ControlThread thread(control, **program);
  const process::Ending ending = (*program)->Follow();
  if (!thread.AwaitEnd(kPatience)) {
    // Leases end with this process: the agent, or without one a guard, puts the card back.
    Log(LogLevel::kWarning, "the GPU driver, the agent or the disk does not answer: {}", lost);
    process::EndLike(ending, (*program)->had_terminal());
  }
  return {ending, (*program)->had_terminal(), std::nullopt};
}

}  // namespace heliostat::training_run
