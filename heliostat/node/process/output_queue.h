#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace heliostat::process {

// Hands a program's output from the thread that passes it on to the one that reads progress from it. Neither waits for
// the other. When more than `most` bytes wait, whole lines in the middle of the output are left out. Thread-safe.
class OutputQueue {
 public:
  // Enough for a million lines of progress.
  static constexpr std::size_t kMost = 64U << 20U;
  explicit OutputQueue(std::size_t most = kMost) : most_(most) {}

  void Put(std::string_view bytes);
  std::string Take();

 private:
  std::size_t most_;
  std::mutex mutex_;  // held only to append and to swap
  std::string waiting_;
  bool is_skipping_ = false;  // to the end of a line
};

}  // namespace heliostat::process
