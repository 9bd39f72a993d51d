#pragma once

#include <sys/types.h>

#include <memory>

namespace heliostat::local_socket {

// Refers to one process, and never to a later one with the same id: a pidfd. Thread-safe.
class ProcessHandle {
 public:
  // The process that connected a Unix socket, whose id was `pid` then. nullptr where the kernel has no pidfds, or
  // none is left for this process.
  static std::shared_ptr<const ProcessHandle> OfPeer(int socket, pid_t pid);
  ~ProcessHandle();
  ProcessHandle(const ProcessHandle&) = delete;
  ProcessHandle& operator=(const ProcessHandle&) = delete;

  bool IsRunning() const;
  // True when the kernel took the process from the socket (Linux 6.5). Otherwise it was opened by its id, which may
  // have gone to another process between the connection and that moment.
  bool is_exact() const { return is_exact_; }

 private:
  ProcessHandle(int fd, bool is_exact) : fd_(fd), is_exact_(is_exact) {}

  const int fd_;  // -1: it had ended already
  const bool is_exact_;
};

}  // namespace heliostat::local_socket
