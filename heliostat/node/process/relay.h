#pragma once

#include <sys/poll.h>

#include <functional>
#include <string>
#include <string_view>

namespace heliostat::process {

// Sees what passes, before it is passed on.
using Observer = std::function<void(std::string_view)>;

// Passes bytes on from what the program writes to, to where the user wants them, unchanged and at once. Reads no more
// while the other side does not take what was read, so that a slow reader slows the program and nothing else: neither
// reading nor writing ever waits. Not thread-safe.
class Relay {
 public:
  // Owns `source` from now on. `target` is the caller's and stays as it is: where its mode would have to be changed for
  // writes that do not wait, which all who share it would feel, it is opened a second time.
  Relay(int source, int target);
  Relay(Relay&& other) noexcept;
  Relay& operator=(Relay&& other) = delete;
  ~Relay();

  // What to wait for; a negative file when there is nothing.
  pollfd Wants() const;
  // After poll(): reads and writes what goes without waiting. Whether anything was done.
  bool Handle(const Observer& observer);

  bool is_open() const { return source_ >= 0; }
  // Nothing read is still to be written.
  bool is_clear() const { return waiting_.empty(); }
  // Nobody reads the target any more, or it takes no more; the source was closed, as the program would have met it.
  bool is_target_gone() const { return is_target_gone_; }
  int source() const { return source_; }
  int target() const { return target_; }
  int opened() const { return opened_; }
  void Close();

 private:
  bool Read(const Observer& observer);
  bool Write();

  int source_ = -1;
  int target_ = -1;
  int opened_ = -1;  // the target a second time, ours to close
  bool may_wait_ = false;
  bool is_target_gone_ = false;
  std::string waiting_;
};

}  // namespace heliostat::process
