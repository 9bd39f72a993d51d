#include "heliostat/node/process/signal_inbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace heliostat::process {
namespace {

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH};

// The only state that the signal handler uses. -1: no inbox is open.
std::atomic<int> inbox{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void Keep(int number) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(number);
  // A full pipe holds thousands of signals that are not taken yet: one more can be dropped.
  if (const int fd = inbox.load(); fd >= 0 && ::write(fd, &byte, 1) < 0) errno = before;
  errno = before;
}

}  // namespace

Result<std::unique_ptr<SignalInbox>> SignalInbox::Open() {
  if (inbox.load() >= 0) return Fail(ErrorCode::kInternal, "signals", "another inbox is open", "one at a time");
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return Fail(ErrorCode::kInternal, "signals", std::strerror(errno));
  }
  std::unique_ptr<SignalInbox> opened(new SignalInbox());
  opened->reading_ = ends[0];
  opened->writing_ = ends[1];
  inbox.store(ends[1]);
  for (const int number : kPassedOn) {
    Kept kept{number, {}};
    (void)::sigaction(number, nullptr, &kept.action);
    if (kept.action.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = Keep;
    ours.sa_flags = SA_RESTART;
    sigemptyset(&ours.sa_mask);
    (void)::sigaction(number, &ours, nullptr);
    opened->kept_.push_back(kept);
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignore, &opened->broken_pipe_);
  return opened;
}

SignalInbox::~SignalInbox() {
  for (const Kept& kept : kept_) (void)::sigaction(kept.number, &kept.action, nullptr);
  (void)::sigaction(SIGPIPE, &broken_pipe_, nullptr);
  inbox.store(-1);
  ::close(reading_);
  ::close(writing_);
}

std::optional<int> SignalInbox::Take() {
  unsigned char byte = 0;
  if (::read(reading_, &byte, 1) != 1) return std::nullopt;
  return byte;
}

}  // namespace heliostat::process
