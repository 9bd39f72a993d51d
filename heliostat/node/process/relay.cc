#include "heliostat/node/process/relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace heliostat::process {
namespace {

constexpr std::size_t kMostAtOnce = 65536;
// How much a ready pipe accepts without waiting (PIPE_BUF of POSIX), where it could not be opened a second time.
constexpr std::size_t kMostWithoutWaiting = 512;

enum class Kind { kFile, kSocket, kStream };

Kind KindOf(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return Kind::kFile;
  if (S_ISSOCK(facts.st_mode)) return Kind::kSocket;
  return S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode) ? Kind::kStream : Kind::kFile;
}

bool IsReadyToWrite(int fd) {
  pollfd wanted{fd, POLLOUT, 0};
  return ::poll(&wanted, 1, 0) == 1;
}

}  // namespace

Relay::Relay(int source, int target) : source_(source), target_(target) {
  ::fcntl(source_, F_SETFL, ::fcntl(source_, F_GETFL) | O_NONBLOCK);
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
      is_target_gone_(other.is_target_gone_),
      waiting_(std::move(other.waiting_)) {}

Relay::~Relay() {
  Close();
  if (opened_ >= 0) ::close(opened_);
}

void Relay::Close() {
  if (source_ >= 0) ::close(std::exchange(source_, -1));
}

pollfd Relay::Wants() const {
  if (!waiting_.empty()) return {opened_ >= 0 ? opened_ : target_, POLLOUT, 0};
  return {source_, POLLIN, 0};
}

bool Relay::Handle(const Observer& observer) {
  if (!waiting_.empty()) return Write();
  return source_ >= 0 && Read(observer);
}

bool Relay::Read(const Observer& observer) {
  std::array<char, kMostAtOnce> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read()
  const ssize_t got = ::read(source_, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got <= 0) {  // a pseudo-terminal returns EIO when the other side is closed
    Close();
    return true;
  }
  waiting_.assign(bytes.data(), static_cast<std::size_t>(got));
  if (observer) observer(waiting_);
  (void)Write();
  return true;
}

bool Relay::Write() {
  std::size_t done = 0;
  while (done < waiting_.size()) {
    const char* from = waiting_.data() + done;
    std::size_t size = waiting_.size() - done;
    ssize_t written = 0;
    if (may_wait_) {
      if (!IsReadyToWrite(target_)) break;
      size = std::min(size, kMostWithoutWaiting);
      written = ::write(target_, from, size);
    } else if (opened_ >= 0) {
      written = ::write(opened_, from, size);
    } else {
      written = ::send(target_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (written < 0 && errno == ENOTSOCK) written = ::write(target_, from, size);
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) break;
    if (written < 0) {
      is_target_gone_ = true;
      waiting_.clear();
      Close();
      return true;
    }
    done += static_cast<std::size_t>(written);
  }
  waiting_.erase(0, done);
  return done > 0;
}

}  // namespace heliostat::process
