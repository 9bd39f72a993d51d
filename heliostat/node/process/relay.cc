#include "heliostat/node/process/relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "heliostat/base/core/log_format.h"

namespace heliostat::process {
namespace {

// As much as a pipe of the largest size that a user may ask for: fewer calls per byte.
constexpr std::size_t kMostAtOnce = 1U << 20U;
// How much a ready pipe accepts without waiting (PIPE_BUF of POSIX), where it could not be opened a second time.
constexpr std::size_t kMostWithoutWaiting = 512;

enum class Kind { kFile, kSocket, kStream };

Kind KindOf(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return Kind::kFile;
  if (S_ISSOCK(facts.st_mode)) return Kind::kSocket;
  return S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode) ? Kind::kStream : Kind::kFile;
}

bool IsWhereTheLogGoes(int fd) {
  struct stat here {};
  struct stat log {};
  return ::fstat(fd, &here) == 0 && ::fstat(STDERR_FILENO, &log) == 0 && here.st_dev == log.st_dev &&
         here.st_ino == log.st_ino;
}

bool IsReadyToWrite(int fd) {
  pollfd wanted{fd, POLLOUT, 0};
  return ::poll(&wanted, 1, 0) == 1;
}

}  // namespace

Relay::Relay(int source, int target)
    : source_(source),
      target_(target),
      bytes_(std::make_unique_for_overwrite<char[]>(kMostAtOnce)) {  // NOLINT(cppcoreguidelines-avoid-c-arrays)
  ::fcntl(source_, F_SETFL, ::fcntl(source_, F_GETFL) | O_NONBLOCK);
  shares_log_ = IsWhereTheLogGoes(target_);
  // A regular file is never opened again: it would have another position.
  if (KindOf(target) != Kind::kStream) return;
  opened_ = ::open(fmt::format("/proc/self/fd/{}", target).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  may_wait_ = opened_ < 0;
}

Relay::Relay(Relay&& other) noexcept
    : source_(std::exchange(other.source_, -1)),
      target_(other.target_),
      opened_(std::exchange(other.opened_, -1)),
      may_wait_(other.may_wait_),
      shares_log_(other.shares_log_),
      is_target_gone_(other.is_target_gone_),
      bytes_(std::move(other.bytes_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)) {}

Relay::~Relay() {
  Close();
  if (opened_ >= 0) ::close(opened_);
}

void Relay::Close() {
  if (source_ >= 0) ::close(std::exchange(source_, -1));
}

pollfd Relay::Wants() const {
  if (!is_clear()) return {opened_ >= 0 ? opened_ : target_, POLLOUT, 0};
  return {source_, POLLIN, 0};
}

bool Relay::Handle(const Observer& observer) {
  if (!is_clear()) return Write();
  return source_ >= 0 && Read(observer);
}

bool Relay::Read(const Observer& observer) {
  const ssize_t got = ::read(source_, bytes_.get(), kMostAtOnce);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got <= 0) {  // a pseudo-terminal returns EIO when the other side is closed
    Close();
    return true;
  }
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  if (observer) observer({bytes_.get(), end_});
  (void)Write();
  return true;
}

ssize_t Relay::WriteSome(const char* from, std::size_t size) const {
  if (may_wait_) {
    if (!IsReadyToWrite(target_)) {
      errno = EAGAIN;
      return -1;
    }
    return ::write(target_, from, std::min(size, kMostWithoutWaiting));
  }
  if (opened_ >= 0) return ::write(opened_, from, size);
  const ssize_t sent = ::send(target_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 && errno == ENOTSOCK ? ::write(target_, from, size) : sent;
}

bool Relay::Write() {
  const std::size_t before = begin_;
  while (begin_ < end_) {
    const ssize_t written = WriteSome(bytes_.get() + begin_, end_ - begin_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) break;
    if (written < 0) {
      is_target_gone_ = true;
      begin_ = end_;
      Close();
      return true;
    }
    begin_ += static_cast<std::size_t>(written);
  }
  if (shares_log_ && begin_ > before) SetMidLine(bytes_[begin_ - 1] != '\n');
  return begin_ > before;
}

}  // namespace heliostat::process
