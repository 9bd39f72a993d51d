#include "heliostat/node/process/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
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

#include "heliostat/base/core/environment.h"
#include "heliostat/node/process/descendants.h"

namespace heliostat::process {
namespace {

// Everything that the program's process needs, prepared before the first fork: after it, a process that had threads may
// not be able to allocate.
struct Prepared {
  std::vector<std::string> words;  // the next two point into it
  std::vector<char*> argv;
  std::vector<char*> environment;
  ProgramFiles files;
  sigset_t mask{};
  struct sigaction broken_pipe {};
};

bool IsReplaced(std::string_view entry, const ProgramCommand& command) {
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::any_of(command.environment.begin(), command.environment.end(),
                     [&](const auto& extra) { return extra.first == name; });
}

void Prepare(const ProgramCommand& command, Prepared& prepared) {
  prepared.words = command.argv;
  for (std::string& variable : ProcessVariables()) {
    if (!IsReplaced(variable, command)) prepared.words.push_back(std::move(variable));
  }
  for (const auto& [name, value] : command.environment) prepared.words.push_back(fmt::format("{}={}", name, value));
  for (std::size_t i = 0; i < prepared.words.size(); ++i) {
    auto& list = i < command.argv.size() ? prepared.argv : prepared.environment;
    list.push_back(prepared.words[i].data());
  }
  prepared.argv.push_back(nullptr);
  prepared.environment.push_back(nullptr);
}

[[noreturn]] void BecomeProgram(const Prepared& prepared, int trouble) {
  (void)::setpgid(0, 0);
  if (prepared.files.out >= 0) (void)::dup2(prepared.files.out, STDOUT_FILENO);
  if (prepared.files.err >= 0) (void)::dup2(prepared.files.err, STDERR_FILENO);
  (void)::sigaction(SIGPIPE, &prepared.broken_pipe, nullptr);
  // A signal between here and exec() would run a handler of Heliostat in this process; exec() removes the handlers.
  (void)::sigprocmask(SIG_SETMASK, &prepared.mask, nullptr);
  (void)::execvpe(prepared.argv[0], prepared.argv.data(), prepared.environment.data());
  const int number = errno;
  (void)!::write(trouble, &number, sizeof(number));
  ::_exit(127);
}

class Guard {
 public:
  Guard(int channel, std::vector<Relay>& relays) : channel_(channel), relays_(relays) {}
  [[noreturn]] void Run(const Prepared& prepared);

 private:
  void KeepOnlyOwnFiles() const;
  void Tell(GuardReport::Kind kind, int detail) const {
    const GuardReport report{kind, program_, detail};
    (void)::send(channel_, &report, sizeof(report), MSG_NOSIGNAL);
  }
  bool Start(const Prepared& prepared);
  void Attend();
  void Listen();
  void TakeOver();
  bool HasOpenRelay() const {
    return std::any_of(relays_.begin(), relays_.end(), [](const Relay& r) { return r.is_open() || !r.is_clear(); });
  }

  int channel_;
  std::vector<Relay>& relays_;
  pid_t heliostat_ = ::getppid();
  pid_t program_ = 0;
  int children_ = -1;
  bool has_ended_ = false;
  bool is_alone_ = false;
  bool is_suspended_ = false;  // by Ctrl-Z, or by using the terminal from the background
};

void Guard::KeepOnlyOwnFiles() const {
  std::vector<int> kept{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, channel_, children_};
  for (const Relay& relay : relays_) {
    kept.push_back(relay.source());
    kept.push_back(relay.target());
    kept.push_back(relay.opened());
  }
  std::sort(kept.begin(), kept.end());
  unsigned from = 0;
  for (const int fd : kept) {
    if (fd < 0) continue;
    const auto file = static_cast<unsigned>(fd);
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
  program_ = ::fork();
  if (program_ == 0) BecomeProgram(prepared, trouble[1]);
  ::close(trouble[1]);
  int number = program_ < 0 ? errno : 0;
  if (program_ > 0) {
    (void)::setpgid(program_, program_);
    while (::read(trouble[0], &number, sizeof(number)) < 0 && errno == EINTR) {
    }
  }
  ::close(trouble[0]);
  Tell(number != 0 ? GuardReport::Kind::kNotStarted : GuardReport::Kind::kStarted, number);
  return number == 0;
}

// Reports state changes of the program.
void Guard::Attend() {
  signalfd_siginfo ignored{};
  (void)!::read(children_, &ignored, sizeof(ignored));
  int status = 0;
  while (!has_ended_ && ::waitpid(program_, &status, WNOHANG | WUNTRACED | WCONTINUED) == program_) {
    if (WIFSTOPPED(status)) {
      is_suspended_ = WSTOPSIG(status) != SIGSTOP;  // Heliostat itself sends SIGSTOP, many times per minute
      if (is_suspended_) Tell(GuardReport::Kind::kSuspended, WSTOPSIG(status));
    } else if (WIFCONTINUED(status)) {
      // Heliostat stopped together with the program, and continues together with it.
      if (is_suspended_ && !is_alone_) (void)::kill(heliostat_, SIGCONT);
      is_suspended_ = false;
    } else {
      has_ended_ = true;
      Tell(GuardReport::Kind::kEnded, status);
    }
  }
}

void Guard::Listen() {
  unsigned char number = 0;
  const ssize_t got = ::recv(channel_, &number, 1, MSG_DONTWAIT);
  if (got == 1 && number < relays_.size()) relays_[number].Close();
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) TakeOver();
}

void Guard::TakeOver() {
  is_alone_ = true;
  if (has_ended_) return;
  for (const pid_t group : GroupsUnder(program_)) {
    if (group != ::getpgrp()) (void)::kill(-group, SIGCONT);
  }
}

void Guard::Run(const Prepared& prepared) {
  (void)::prctl(PR_SET_NAME, "heliostat-guard");
  (void)std::signal(SIGCHLD, SIG_DFL);
  if (!Start(prepared)) ::_exit(0);
  // Signals stay blocked: none is meant for the guard.
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGCHLD);
  children_ = ::signalfd(-1, &only, SFD_CLOEXEC | SFD_NONBLOCK);
  KeepOnlyOwnFiles();
  for (;;) {
    // While Heliostat lives, the guard stays: Heliostat may still read the report and the program's output.
    if (is_alone_ && has_ended_ && !HasOpenRelay()) ::_exit(0);
    std::vector<pollfd> waiting{{children_, POLLIN, 0}, {is_alone_ ? -1 : channel_, POLLIN, 0}};
    if (is_alone_) {
      for (const Relay& relay : relays_) waiting.push_back(relay.Wants());
    }
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[0].revents != 0) Attend();
    if (waiting[1].revents != 0) Listen();
    for (std::size_t i = 2; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) (void)relays_[i - 2].Handle(nullptr);
    }
  }
}

}  // namespace

Result<GuardHandle> StartGuard(const ProgramCommand& command, const ProgramFiles& files, std::vector<Relay>& relays,
                               const struct sigaction& broken_pipe) {
  Prepared prepared;
  Prepare(command, prepared);
  prepared.files = files;
  prepared.broken_pipe = broken_pipe;
  std::array<int, 2> channel{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return Fail(ErrorCode::kInternal, command.argv[0], std::strerror(errno));
  }
  sigset_t all;
  sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &prepared.mask);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(channel[0]);
    Guard(channel[1], relays).Run(prepared);
  }
  const int number = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &prepared.mask, nullptr);
  ::close(channel[1]);
  if (pid < 0) {
    ::close(channel[0]);
    return Fail(ErrorCode::kInternal, command.argv[0], std::strerror(number));
  }
  return GuardHandle{pid, channel[0]};
}

}  // namespace heliostat::process
