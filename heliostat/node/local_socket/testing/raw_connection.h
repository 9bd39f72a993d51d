#pragma once

// For tests: the client's end of a Unix socket, without any protocol.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace heliostat::local_socket {

class RawConnection {
 public:
  // `flags`: SOCK_NONBLOCK or none.
  explicit RawConnection(const std::string& path, int flags = 0)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) error_ = errno;
  }
  ~RawConnection() { ::close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // 0 when it is connected.
  int error() const { return error_; }
  int fd() const { return fd_; }

  // Sends until all is sent or the other side has closed the connection; returns how much it took.
  std::size_t Send(std::string_view bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count < 0) break;
      sent += static_cast<std::size_t>(count);
    }
    return sent;
  }
  // The next line without its end, or what comes before the other side closes the connection.
  std::string ReadLine() const {
    std::string line;
    std::array<char, 65'536> room;
    for (ssize_t got = 0; (got = ::recv(fd_, room.data(), room.size(), MSG_PEEK)) > 0;) {
      const std::string_view part(room.data(), static_cast<std::size_t>(got));
      const auto end = part.find('\n');
      line.append(part.substr(0, end));
      (void)::recv(fd_, room.data(), std::min(end, part.size() - 1) + 1, 0);
      if (end != std::string_view::npos) break;
    }
    return line;
  }
  // All that comes until the other side closes the connection.
  std::string ReadAll() const {
    std::string all;
    std::array<char, 65'536> room;
    for (ssize_t got = 0; (got = ::recv(fd_, room.data(), room.size(), 0)) > 0;) {
      all.append(room.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int fd_;
  int error_ = 0;
};

}  // namespace heliostat::local_socket
