#include "heliostat/node/process/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace heliostat::process {
namespace {

// Blocks SIGTTOU, which would stop a background process that changes a terminal.
class AsIfInForeground {
 public:
  AsIfInForeground() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    (void)::pthread_sigmask(SIG_BLOCK, &stop, &before_);
  }
  AsIfInForeground(const AsIfInForeground&) = delete;
  AsIfInForeground& operator=(const AsIfInForeground&) = delete;
  ~AsIfInForeground() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

tl::unexpected<Error> Failure() {
  return Fail(ErrorCode::kInternal, "pseudo-terminal", std::strerror(errno), "/dev/ptmx must be there");
}

bool AreSame(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_lflag == b.c_lflag && std::memcmp(&a.c_cc[0], &b.c_cc[0], sizeof(a.c_cc)) == 0;
}

}  // namespace

Result<OutputTerminal::Ends> OutputTerminal::Open(int users) {
  Ends ends;
  ends.master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends.master < 0) return Failure();
  // Opened through the master, because its name may not be visible (containers).
  if (::grantpt(ends.master) == 0 && ::unlockpt(ends.master) == 0) {
    ends.slave = ::ioctl(ends.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  termios modes{};
  if (ends.slave < 0 || ::tcgetattr(users, &modes) != 0) {
    const auto failure = Failure();
    ::close(ends.master);
    if (ends.slave >= 0) ::close(ends.slave);
    return failure;
  }
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  (void)::tcsetattr(ends.slave, TCSANOW, &modes);
  winsize size{};
  if (::ioctl(users, TIOCGWINSZ, &size) == 0) (void)::ioctl(ends.master, TIOCSWINSZ, &size);
  return ends;
}

OutputTerminal::OutputTerminal(int master, int users) : master_(master), users_(users) {
  (void)::tcgetattr(master_, &seen_);
  (void)::tcgetattr(users_, &before_);
}

bool OutputTerminal::CarrySize() {
  winsize wanted{};
  winsize has{};
  if (::ioctl(users_, TIOCGWINSZ, &wanted) != 0 || ::ioctl(master_, TIOCGWINSZ, &has) != 0) return false;
  if (std::memcmp(&wanted, &has, sizeof(has)) == 0) return false;
  return ::ioctl(master_, TIOCSWINSZ, &wanted) == 0;
}

bool OutputTerminal::CarryModes() {
  termios now{};
  if (::tcgetattr(master_, &now) != 0) return false;
  if ((now.c_oflag & OPOST) != 0) {
    // The user's terminal does it; twice would show.
    now.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    (void)::tcsetattr(master_, TCSANOW, &now);
  }
  if (AreSame(now, seen_)) return false;
  seen_ = now;
  termios users{};
  if (::tcgetattr(users_, &users) != 0) return false;
  if (!has_carried_) before_ = users;
  has_carried_ = true;
  users.c_iflag = now.c_iflag;
  users.c_lflag = now.c_lflag;
  std::memcpy(&users.c_cc[0], &now.c_cc[0], sizeof(users.c_cc));
  const AsIfInForeground quietly;
  // Without draining: a terminal that accepts no output must not hold up anything here.
  return ::tcsetattr(users_, TCSANOW, &users) == 0;
}

void OutputTerminal::PassKeys(std::string_view keys) const {
  // A program that does not read loses keys, as with a full terminal.
  (void)!::write(master_, keys.data(), keys.size());
}

void OutputTerminal::PutModesBack() {
  if (!has_carried_) return;
  has_carried_ = false;
  const AsIfInForeground quietly;
  (void)::tcsetattr(users_, TCSANOW, &before_);
}

Keyboard::Keyboard() : terminal_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}

Keyboard::~Keyboard() {
  if (terminal_ >= 0) ::close(terminal_);
}

bool Keyboard::IsOurs() const { return terminal_ >= 0 && ::tcgetpgrp(terminal_) == ::getpgrp(); }

std::size_t Keyboard::Read(std::span<char> keys) const {
  if (!IsOurs()) return 0;  // A background process that reads would be stopped.
  const ssize_t got = ::read(terminal_, keys.data(), keys.size());
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void Keyboard::GiveTo(pid_t group) {
  const AsIfInForeground quietly;
  if (IsOurs()) (void)::tcsetpgrp(terminal_, group);
}

void Keyboard::TakeBackFrom(pid_t group) {
  const AsIfInForeground quietly;
  if (terminal_ >= 0 && ::tcgetpgrp(terminal_) == group) (void)::tcsetpgrp(terminal_, ::getpgrp());
}

}  // namespace heliostat::process
