#include "heliostat/node/process/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "heliostat/base/core/environment.h"

namespace heliostat::process {
namespace {

// How often a guard looks after the others.
constexpr int kLookMs = 500;
// Output and error.
constexpr std::size_t kMostRelays = 2;

// Words and a list of pointers to them, as exec() needs it.
struct WordList {
  std::vector<std::string> words;
  std::vector<char*> pointers;

  void Seal() {
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
  }
};

// Everything that later processes need, prepared before the first fork: after it, nothing may be allocated.
struct Prepared {
  WordList argv;
  WordList environment;
  WordList restore;
  WordList own_environment;  // of Heliostat, for `restore`
  ProgramFiles files;
  sigset_t mask{};
  struct sigaction broken_pipe {};
  rlimit core{};
};

bool IsReplaced(std::string_view entry, const ProgramCommand& command) {
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::any_of(command.environment.begin(), command.environment.end(),
                     [&](const auto& extra) { return extra.first == name; }) ||
         std::find(command.withheld.begin(), command.withheld.end(), name) != command.withheld.end();
}

void Prepare(const ProgramCommand& command, Prepared& prepared) {
  prepared.argv.words = command.argv;
  prepared.restore.words = command.restore;
  for (std::string& variable : ProcessVariables()) {
    if (!IsReplaced(variable, command)) prepared.environment.words.push_back(variable);
    prepared.own_environment.words.push_back(std::move(variable));
  }
  for (const auto& [name, value] : command.environment) {
    prepared.environment.words.push_back(fmt::format("{}={}", name, value));
  }
  for (WordList* list : {&prepared.argv, &prepared.environment, &prepared.restore, &prepared.own_environment}) {
    list->Seal();
  }
  (void)::getrlimit(RLIMIT_CORE, &prepared.core);
}

[[noreturn]] void BecomeProgram(const Prepared& prepared, int trouble) {
  (void)::setpgid(0, 0);
  if (prepared.files.out >= 0) (void)::dup2(prepared.files.out, STDOUT_FILENO);
  if (prepared.files.err >= 0) (void)::dup2(prepared.files.err, STDERR_FILENO);
  (void)::setrlimit(RLIMIT_CORE, &prepared.core);
  (void)::sigaction(SIGPIPE, &prepared.broken_pipe, nullptr);
  // A signal between here and exec() would run a handler of Heliostat in this process; exec() removes the handlers.
  (void)::sigprocmask(SIG_SETMASK, &prepared.mask, nullptr);
  (void)::execvpe(prepared.argv.pointers[0], prepared.argv.pointers.data(), prepared.environment.pointers.data());
  const int number = errno;
  (void)!::write(trouble, &number, sizeof(number));
  ::_exit(127);
}

class Guard {
 public:
  Guard(GuardState::Member member, int channel, std::vector<Relay>& relays, GuardState& state)
      : member_(member), channel_(channel), relays_(relays), state_(state) {}
  // Starts the program, unless this is the second guard, and stays until it has ended.
  [[noreturn]] void Run(const Prepared& prepared);

 private:
  bool IsFirst() const { return member_ == GuardState::kFirstGuard; }
  GuardState::Member Other() const { return IsFirst() ? GuardState::kSecondGuard : GuardState::kFirstGuard; }
  // True when this guard is the one that does what Heliostat did.
  bool IsInCharge() const { return is_alone_ && (IsFirst() || is_first_dead_); }
  bool HasOpenRelay() const {
    return std::any_of(relays_.begin(), relays_.end(), [](const Relay& r) { return r.is_open() || !r.is_clear(); });
  }

  void KeepOnlyOwnFiles() const;
  void Tell(GuardReport::Kind kind, int detail) const {
    const GuardReport report{kind, state_.program.load(), detail};
    // Without waiting: Heliostat may be stopped, and there are only a few reports.
    (void)::send(channel_, &report, sizeof(report), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  bool Start(const Prepared& prepared);
  void Wait();
  void Collect();
  void TakeState(int status);
  void Listen();
  void Look(const Prepared& prepared);
  void CloseRelays();
  void Restore(const Prepared& prepared);

  GuardState::Member member_;
  int channel_;
  std::vector<Relay>& relays_;
  GuardState& state_;
  int children_ = -1;
  bool is_first_dead_ = false;  // known to the second guard only
  bool is_alone_ = false;       // Heliostat is dead
  bool has_taken_over_ = false;
};

void Guard::KeepOnlyOwnFiles() const {
  std::array<int, 5 + 3 * kMostRelays> kept{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, channel_, children_};
  std::size_t count = 5;
  for (const Relay& relay : relays_) {
    for (const int fd : {relay.source(), relay.target(), relay.opened()}) kept.at(count++) = fd;
  }
  std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
  unsigned from = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept.at(i) < 0) continue;
    const auto file = static_cast<unsigned>(kept.at(i));
    if (file > from) (void)::syscall(SYS_close_range, from, file - 1, 0U);
    from = std::max(from, file + 1);
  }
  (void)::syscall(SYS_close_range, from, ~0U, 0U);
}

bool Guard::Start(const Prepared& prepared) {
  std::array<int, 2> trouble{};
  if (::pipe2(trouble.data(), O_CLOEXEC) != 0) {
    Tell(GuardReport::Kind::kNotStarted, errno);
    return false;
  }
  const pid_t program = ::fork();
  if (program == 0) BecomeProgram(prepared, trouble[1]);
  ::close(trouble[1]);
  int number = program < 0 ? errno : 0;
  if (program > 0) {
    (void)::setpgid(program, program);
    while (::read(trouble[0], &number, sizeof(number)) < 0 && errno == EINTR) {
    }
  }
  ::close(trouble[0]);
  if (number == 0) state_.program.store(program);
  Tell(number != 0 ? GuardReport::Kind::kNotStarted : GuardReport::Kind::kStarted, number);
  return number == 0;
}

// Reports a state change of the program.
void Guard::TakeState(int status) {
  if (WIFSTOPPED(status)) {
    const bool is_users = WSTOPSIG(status) != SIGSTOP;  // Heliostat itself sends SIGSTOP, many times per minute
    state_.is_suspended.store(is_users);
    if (is_users) Tell(GuardReport::Kind::kSuspended, WSTOPSIG(status));
  } else if (WIFCONTINUED(status)) {
    // Heliostat stopped together with the program, and continues together with it.
    if (state_.is_suspended.exchange(false) && !is_alone_) (void)::kill(state_.pids[GuardState::kHeliostat], SIGCONT);
  } else {
    state_.has_ended = true;
    // Its workers in other groups may still be held.
    if (state_.has_held) state_.SignalAll(SIGCONT);
    Tell(GuardReport::Kind::kEnded, status);
  }
}

// Collects the program, the other guard, and processes that the program has left behind.
void Guard::Collect() {
  signalfd_siginfo ignored{};
  (void)!::read(children_, &ignored, sizeof(ignored));
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;) {
    if (pid == state_.program) {
      TakeState(status);
    } else if (!IsFirst() && pid == state_.pids[GuardState::kFirstGuard] && !WIFSTOPPED(status) &&
               !WIFCONTINUED(status)) {
      is_first_dead_ = true;
      // It leaves by itself only when all is done.
      if (WIFEXITED(status)) ::_exit(0);
    }
  }
}

void Guard::Listen() {
  char byte = 0;
  const ssize_t got = ::recv(channel_, &byte, 1, MSG_DONTWAIT);
  is_alone_ = is_alone_ || got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void Guard::CloseRelays() {
  const std::uint32_t closed = state_.closed_relays.load();
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    if ((closed >> i & 1U) != 0) relays_[i].Close();
  }
}

void Guard::Restore(const Prepared& prepared) {
  if (prepared.restore.words.empty() || !state_.owes_card.exchange(false)) return;
  if (::fork() != 0) return;
  (void)::sigprocmask(SIG_SETMASK, &prepared.mask, nullptr);
  (void)::execve(prepared.restore.pointers[0], prepared.restore.pointers.data(),
                 prepared.own_environment.pointers.data());
  ::_exit(127);
}

// Does what others should have done.
void Guard::Look(const Prepared& prepared) {
  state_.Beat(member_);
  if (!is_first_dead_ && state_.IsSilent(Other())) (void)::kill(state_.pids.at(Other()), SIGCONT);
  if (is_alone_) {
    if (!std::exchange(has_taken_over_, true)) state_.SignalAll(SIGCONT);
    const bool is_first_silent = !IsFirst() && state_.IsSilent(GuardState::kFirstGuard);
    if (IsInCharge() || is_first_silent) Restore(prepared);
    return;
  }
  // Each time anew while it is silent: a Heliostat that was stopped within Hold() may stop the program later.
  const bool is_silent = state_.IsSilent(GuardState::kHeliostat);
  if (is_silent && state_.has_held && !state_.is_suspended) state_.SignalAll(SIGCONT);
}

void Guard::Wait() {
  std::array<pollfd, 2 + kMostRelays> waiting{pollfd{children_, POLLIN, 0},
                                              pollfd{is_alone_ ? -1 : channel_, POLLIN, 0}};
  std::size_t count = 2;
  if (IsInCharge()) {
    for (const Relay& relay : relays_) waiting.at(count++) = relay.Wants();
  }
  (void)::poll(waiting.data(), count, kLookMs);
  Collect();
  if (waiting[1].revents != 0) Listen();
  for (std::size_t i = 2; i < count; ++i) {
    if (waiting.at(i).revents != 0) (void)relays_[i - 2].Handle(nullptr);
  }
}

void Guard::Run(const Prepared& prepared) {
  (void)::prctl(PR_SET_NAME, "heliostat-guard");
  (void)std::signal(SIGCHLD, SIG_DFL);
  (void)::setpgid(0, 0);
  // Becomes the parent of what the program leaves behind, and of the program when the first guard dies.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  state_.Beat(member_);
  if (IsFirst() && !Start(prepared)) ::_exit(0);
  // Signals stay blocked: none is meant for the guard.
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGCHLD);
  children_ = ::signalfd(-1, &only, SFD_CLOEXEC | SFD_NONBLOCK);
  KeepOnlyOwnFiles();
  for (;;) {
    Look(prepared);
    CloseRelays();
    // While Heliostat lives, the guard stays: Heliostat may still read the report and the program's output.
    if (IsInCharge() && state_.IsProgramGone() && !HasOpenRelay()) ::_exit(0);
    Wait();
  }
}

// In the second guard: makes the first one.
[[noreturn]] void RunSecond(const Prepared& prepared, const std::array<int, 2>& channels, std::vector<Relay>& relays,
                            GuardState& state) {
  state.pids[GuardState::kSecondGuard] = ::getpid();
  const pid_t first = ::fork();
  if (first == 0) {
    state.pids[GuardState::kFirstGuard] = ::getpid();
    ::close(channels[1]);
    Guard(GuardState::kFirstGuard, channels[0], relays, state).Run(prepared);
  }
  if (first < 0) {
    const GuardReport report{GuardReport::Kind::kNotStarted, 0, errno};
    (void)::send(channels[0], &report, sizeof(report), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::_exit(0);
  }
  state.pids[GuardState::kFirstGuard] = first;
  state.Beat(GuardState::kFirstGuard);
  ::close(channels[0]);
  Guard(GuardState::kSecondGuard, channels[1], relays, state).Run(prepared);
}

}  // namespace

Result<GuardHandles> StartGuards(const ProgramCommand& command, const ProgramFiles& files, std::vector<Relay>& relays,
                                 const struct sigaction& broken_pipe, GuardState& state) {
  Prepared prepared;
  Prepare(command, prepared);
  prepared.files = files;
  prepared.broken_pipe = broken_pipe;
  state.pids[GuardState::kHeliostat] = ::getpid();
  for (const auto member : {GuardState::kHeliostat, GuardState::kFirstGuard, GuardState::kSecondGuard}) {
    state.Beat(member);
  }
  std::array<std::array<int, 2>, 2> pairs{{{-1, -1}, {-1, -1}}};
  const auto close_all = [&](std::size_t end) {
    for (const auto& pair : pairs) {
      if (pair.at(end) >= 0) ::close(pair.at(end));
    }
  };
  for (auto& pair : pairs) {
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) == 0) continue;
    const int number = errno;
    close_all(0);
    close_all(1);
    return Fail(ErrorCode::kInternal, command.argv[0], std::strerror(number));
  }
  sigset_t all;
  sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &prepared.mask);
  const pid_t second = ::fork();
  if (second == 0) {
    close_all(0);
    RunSecond(prepared, {pairs[0][1], pairs[1][1]}, relays, state);
  }
  const int number = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &prepared.mask, nullptr);
  close_all(1);
  if (second < 0) {
    close_all(0);
    return Fail(ErrorCode::kInternal, command.argv[0], std::strerror(number));
  }
  return GuardHandles{second, {pairs[0][0], pairs[1][0]}};
}

}  // namespace heliostat::process
