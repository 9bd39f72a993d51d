#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// Collects signals that reach Heliostat but are meant for the program in a pipe, so that the loop handles them between
// two turns. A signal that was ignored at the start stays ignored (nohup). Meanwhile a broken pipe is an error of
// write(). One per process at a time; the destructor restores the former handlers. Used from one thread.
class SignalInbox {
 public:
  static Result<std::unique_ptr<SignalInbox>> Open();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;
  ~SignalInbox();

  // Readable when a signal waits.
  int fd() const { return reading_; }
  // The number of the next signal; absent when none waits.
  std::optional<int> Take();

  // The former action of SIGPIPE, which the program gets.
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
