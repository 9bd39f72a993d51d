#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::local_socket {

// The socket that a daemon listens on. Not thread-safe.
class Listener {
 public:
  // The socket that systemd passed to this process, or else a new one at `path`. Replaces a socket that a dead program
  // left there. kUnavailable when another program answers there. Two programs that open it at the same moment may both
  // succeed: a daemon locks a file first.
  static Result<Listener> Open(const std::string& path, const Environment& environment);
  // A socket that listens already; it is closed at the end.
  static Listener Of(int fd) { return {fd, ""}; }
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) = delete;
  // Removes the file that Open() created.
  ~Listener();

  int fd() const { return fd_; }

 private:
  Listener(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::string path_;  // to be removed; empty for a socket from systemd
};

}  // namespace heliostat::local_socket
