#include "heliostat/node/local_socket/line_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace heliostat::local_socket {
namespace {

constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
constexpr std::size_t kMostUnreadLines = 4;  // of the greatest length

bool IsLater(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

LineConnection::~LineConnection() { ::close(fd_); }

bool LineConnection::HasRoom() const { return in_.size() < kMostUnreadLines * limits_.line_bytes; }

bool LineConnection::HasLine() const {
  if (in_.find('\n') != std::string::npos) return true;
  if (is_skipping_) return false;
  return in_.size() > limits_.line_bytes || (has_ended_ && !in_.empty());
}

bool LineConnection::Receive() {
  std::array<char, kReadBytes> room;
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

std::optional<std::string> LineConnection::NextLine() {
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
    if (in_.size() > limits_.line_bytes) {
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

bool LineConnection::Send(std::string line) {
  line += '\n';
  if (out_.empty()) {
    out_ = std::move(line);
  } else {
    out_ += line;
  }
  return Flush() && unsent() <= limits_.unsent_bytes;
}

bool LineConnection::Flush() {
  while (sent_ < out_.size()) {
    const ssize_t wrote = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (wrote < 0) return IsLater(errno);
    sent_ += static_cast<std::size_t>(wrote);
  }
  // Also returns the memory of a long answer.
  std::string().swap(out_);
  sent_ = 0;
  return true;
}

}  // namespace heliostat::local_socket
