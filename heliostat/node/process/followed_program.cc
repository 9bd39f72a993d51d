#include "heliostat/node/process/followed_program.h"

#include <algorithm>
#include <csignal>

namespace heliostat::process {
namespace {

using std::chrono::milliseconds;

// The guards count a longer silence as a hang.
constexpr milliseconds kLongestPoll{100};
// How long a program may take to end after SIGTERM: it may write a checkpoint.
constexpr std::chrono::seconds kEndPatience{10};

}  // namespace

Result<std::unique_ptr<FollowedProgram>> FollowedProgram::Start(const ProgramCommand& command) {
  std::unique_ptr<FollowedProgram> program(new FollowedProgram());
  auto child = Child::Start(command, [&output = program->output_](std::string_view bytes) { output.Put(bytes); });
  if (!child) return Propagate(child);
  program->child_ = std::move(*child);
  return program;
}

Ending FollowedProgram::Follow() {
  while (!child_->is_done()) {
    const auto now = Pacer::Time::clock::now();
    if (should_end_) AskToEnd(now);
    const Pacer::Phase phase = pacer_.At(now, asked_to_end_ ? 1.0 : duty_.load());
    if (phase.should_run && child_->is_held()) child_->Release();
    if (!phase.should_run && !child_->is_held()) child_->Hold();
    const auto left = std::chrono::ceil<milliseconds>(phase.until - now);
    child_->Poll(std::clamp(left, milliseconds(0), kLongestPoll));
  }
  {
    const std::lock_guard hold(mutex_);
    ending_ = child_->ending().value_or(Ending{});
    is_done_ = true;
  }
  ended_.notify_all();
  return *ending_;
}

void FollowedProgram::AskToEnd(Pacer::Time now) {
  if (!asked_to_end_) {
    asked_to_end_ = now;
    child_->Signal(SIGTERM);
  } else if (!is_killed_ && now - *asked_to_end_ >= kEndPatience) {
    is_killed_ = true;
    child_->Signal(SIGKILL);
  }
}

std::optional<Ending> FollowedProgram::ending() const {
  const std::lock_guard hold(mutex_);
  return ending_;
}

void FollowedProgram::Wait(milliseconds timeout) {
  std::unique_lock hold(mutex_);
  (void)ended_.wait_for(hold, timeout, [this] { return is_done_.load(); });
}

}  // namespace heliostat::process
