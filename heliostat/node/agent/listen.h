#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::agent {

// The socket that the agent listens at.
class Listener {
 public:
  // The one that systemd passed on, or else a new one at `path`. A file that a dead agent left there is replaced; one
  // at which somebody answers is not.
  static Result<Listener> Open(const std::string& path, const Environment& environment);
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) = delete;
  // Removes the file that it made.
  ~Listener();

  int fd() const { return fd_; }

 private:
  Listener(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::string path_;  // to be removed; empty for one that was passed on
};

}  // namespace heliostat::agent
