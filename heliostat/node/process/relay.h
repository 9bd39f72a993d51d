#pragma once

#include <sys/poll.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace heliostat::process {

// Receives the bytes before they are passed on.
using Observer = std::function<void(std::string_view)>;

// Copies the bytes of a source, which the program writes to, to the user's target, unchanged and at once. Stops reading
// while the target does not accept more, so that a slow reader slows only the program. Neither reading nor writing
// waits, except for a regular file on a slow disk. After the constructor nothing is allocated. Not thread-safe.
class Relay {
 public:
  // Owns `source` from now on. `target` belongs to the caller and is not changed: where writing without waiting needs
  // another mode, which all processes that share the file would get, the target is opened a second time.
  Relay(int source, int target);
  Relay(Relay&& other) noexcept;
  Relay& operator=(Relay&& other) = delete;
  ~Relay();

  // What to wait for; a negative descriptor when there is nothing.
  pollfd Wants() const;
  // To be called after poll(): reads and writes as much as is possible without waiting. Returns whether anything was
  // done.
  bool Handle(const Observer& observer);

  bool is_open() const { return source_ >= 0; }
  // True when all that was read is written.
  bool is_clear() const { return begin_ == end_; }
  // True when the target is closed or failed. The source is then closed too, so that the program gets a broken pipe.
  bool is_target_gone() const { return is_target_gone_; }
  int source() const { return source_; }
  int target() const { return target_; }
  int opened() const { return opened_; }
  void Close();

 private:
  bool Read(const Observer& observer);
  bool Write();
  ssize_t WriteSome(const char* from, std::size_t size) const;

  int source_ = -1;
  int target_ = -1;
  int opened_ = -1;  // the target, opened a second time; owned
  bool may_wait_ = false;
  bool shares_log_ = false;  // the log's messages go to the same place
  bool is_target_gone_ = false;
  std::unique_ptr<char[]> bytes_;  // NOLINT(cppcoreguidelines-avoid-c-arrays): never changes its size
  std::size_t begin_ = 0;          // what was read and is not written yet
  std::size_t end_ = 0;
};

}  // namespace heliostat::process
