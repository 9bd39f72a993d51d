#include "fakes/nvml/around.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "fakes/nvml/physics.h"
#include "fakes/nvml/process.h"

namespace heliostat::nvml_double {
namespace {

constexpr std::chrono::milliseconds kBeat{10};
// A program that is slowed down runs for a share of each of these.
constexpr double kCycleSeconds = 0.2;

// Speed of a load at the GPU's settings, relative to that at the defaults.
double SpeedShare(const GpuState& gpu, double grace_s, std::size_t slot) {
  GpuState untouched = gpu;
  Reset(untouched);
  const double full = FlowOf(untouched, grace_s).samples_per_s[slot];
  return full > 0.0 ? std::clamp(FlowOf(gpu, grace_s).samples_per_s[slot] / full, 0.01, 1.0) : 1.0;
}

// The process beside the program. Used from one thread.
class Companion {
 public:
  Companion(State& state, int gpu, const RunningLoad& load, pid_t program, std::uint64_t start_ticks)
      : state_(state), gpu_(gpu), load_(load), program_(program), start_ticks_(start_ticks) {}

  void Follow() {
    for (;;) {
      const auto process = LookAt(program_);
      if (!process || process->start_ticks != start_ticks_) break;
      const bool is_held_by_others = process->is_stopped && !is_holding_;
      Beat(is_held_by_others);
      if (!is_held_by_others) Pace();
      std::this_thread::sleep_for(kBeat);
    }
    state_.Update(gpu_, [this](GpuState& gpu) {
      if (RunningLoad* const mine = FindLoad(gpu, load_)) *mine = RunningLoad{};
    });
  }

 private:
  void Beat(bool is_idle) {
    state_.Update(gpu_, [&](GpuState& gpu) {
      RunningLoad* const mine = FindLoad(gpu, load_);
      if (mine == nullptr) return;
      mine->beat_s = gpu.at_s;
      mine->load.duty = load_.load.duty;
      share_ = SpeedShare(gpu, state_.grace_s(), static_cast<std::size_t>(mine - gpu.loads.data()));
      if (is_idle) mine->load.duty = 0.0;
    });
  }

  void Pace() {
    const bool should_hold = std::fmod(RealSeconds(), kCycleSeconds) >= share_ * kCycleSeconds;
    if (should_hold == is_holding_) return;
    is_holding_ = should_hold;
    (void)::kill(-::getpgid(program_), should_hold ? SIGSTOP : SIGCONT);
  }

  State& state_;
  int gpu_;
  RunningLoad load_;
  pid_t program_;
  std::uint64_t start_ticks_;
  double share_ = 1.0;
  bool is_holding_ = false;
};

// In a session of its own, so that no signal to the program's group reaches it, and without the program's files.
[[noreturn]] void Accompany(State& state, int gpu, const LoadPlan& plan, pid_t program, std::uint64_t start_ticks) {
  (void)::setsid();
  if (::fork() != 0) ::_exit(0);  // Not a child of the program, which may wait for its children.
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; nothing >= 0 && fd < 3; ++fd) (void)::dup2(nothing, fd);
  const auto load = MakeLoad(plan, state.Look(gpu).card(), ::getpid());
  if (!load) ::_exit(1);
  Status started;
  state.Update(gpu, [&](GpuState& now) { started = StartLoad(now, *load); });
  if (started) Companion(state, gpu, *load, program, start_ticks).Follow();
  ::_exit(started ? 0 : 1);
}

}  // namespace

int BecomeOnGpu(State& state, int gpu, const LoadPlan& load, const std::vector<std::string>& command) {
  const auto self = LookAt(::getpid());
  const pid_t program = ::getpid();
  const pid_t child = self ? ::fork() : -1;
  if (child == 0) Accompany(state, gpu, load, program, self->start_ticks);
  if (child > 0) (void)::waitpid(child, nullptr, 0);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  (void)::execvp(words.front(), words.data());
  return errno;
}

}  // namespace heliostat::nvml_double
