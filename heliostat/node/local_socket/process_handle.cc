#include "heliostat/node/local_socket/process_handle.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

// Newer than the headers that we build with.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace heliostat::local_socket {

std::shared_ptr<const ProcessHandle> ProcessHandle::OfPeer(int socket, pid_t pid) {
  int fd = -1;
  socklen_t length = sizeof(fd);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &length) == 0) {
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
    return std::shared_ptr<const ProcessHandle>(new ProcessHandle(fd, true));
  }
  if (errno == EMFILE || errno == ENFILE) return nullptr;
  // The kernel knows the option and has no process to return: it has ended.
  if (errno != ENOPROTOOPT && errno != EOPNOTSUPP) {
    return std::shared_ptr<const ProcessHandle>(new ProcessHandle(-1, true));
  }
  fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0 && errno != ESRCH) return nullptr;
  return std::shared_ptr<const ProcessHandle>(new ProcessHandle(fd, false));
}

ProcessHandle::~ProcessHandle() {
  if (fd_ >= 0) ::close(fd_);
}

bool ProcessHandle::IsRunning() const {
  if (fd_ < 0) return false;
  // A pidfd is readable when its process has ended.
  pollfd ended{fd_, POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

}  // namespace heliostat::local_socket
