#pragma once

// For tests: the client's end of a Unix socket, without any protocol.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

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

 private:
  int fd_;
  int error_ = 0;
};

}  // namespace heliostat::local_socket
