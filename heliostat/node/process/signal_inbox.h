#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// The signals that are meant for the program and reach Heliostat: kept in a pipe until somebody takes them, so that
// the loop meets them between two of its turns. A signal that was ignored from the start stays so (nohup). Broken pipes
// are errors of write() meanwhile. One at a time in a process; the destructor puts everything back.
class SignalInbox {
 public:
  static Result<std::unique_ptr<SignalInbox>> Open();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;
  ~SignalInbox();

  // Readable when a signal waits.
  int fd() const { return reading_; }
  std::optional<int> Take();

  // What a broken pipe did before: the program is to find it so.
  const struct sigaction& broken_pipe() const { return broken_pipe_; }

 private:
  SignalInbox() = default;
  struct Kept {
    int number = 0;
    struct sigaction action {};
  };
  int reading_ = -1;
  int writing_ = -1;
  std::vector<Kept> kept_;
  struct sigaction broken_pipe_ {};
};

}  // namespace heliostat::process
