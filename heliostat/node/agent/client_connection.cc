#include "heliostat/node/agent/client_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "heliostat/node/agent/protocol.h"

namespace heliostat::agent {
namespace {

constexpr std::size_t kMostUnread = 4 * kMostRequestBytes;

bool IsLater(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

ClientConnection::~ClientConnection() { ::close(fd_); }

bool ClientConnection::HasRoom() const { return in_.size() < kMostUnread; }

bool ClientConnection::HasLine() const {
  if (in_.find('\n') != std::string::npos) return true;
  if (is_skipping_) return false;
  return in_.size() > kMostRequestBytes || (has_ended_ && !in_.empty());
}

bool ClientConnection::Receive() {
  std::array<char, kMostUnread> room;
  const ssize_t got = ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
  if (got < 0) return IsLater(errno);
  if (got == 0) {
    has_ended_ = true;
    return true;
  }
  in_.append(room.data(), static_cast<std::size_t>(got));
  // Drops the rest of a line that was answered as too long.
  if (is_skipping_ && in_.find('\n') == std::string::npos) in_.clear();
  return true;
}

std::optional<std::string> ClientConnection::NextLine() {
  auto end = in_.find('\n');
  if (is_skipping_) {
    if (end == std::string::npos) {
      in_.clear();
      return std::nullopt;
    }
    in_.erase(0, end + 1);
    is_skipping_ = false;
    end = in_.find('\n');
  }
  if (end == std::string::npos) {
    if (in_.size() > kMostRequestBytes) {
      is_skipping_ = true;
    } else if (!has_ended_ || in_.empty()) {
      return std::nullopt;
    }
    return std::exchange(in_, {});
  }
  std::string line = in_.substr(0, end);
  in_.erase(0, end + 1);
  return line;
}

bool ClientConnection::Send(std::string_view line) {
  out_.append(line);
  out_ += '\n';
  if (!Flush()) return false;
  return out_.size() - sent_ <= kMostUnsent;
}

bool ClientConnection::Flush() {
  while (sent_ < out_.size()) {
    const ssize_t wrote = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (wrote < 0) return IsLater(errno);
    sent_ += static_cast<std::size_t>(wrote);
  }
  out_.clear();
  sent_ = 0;
  return true;
}

}  // namespace heliostat::agent
