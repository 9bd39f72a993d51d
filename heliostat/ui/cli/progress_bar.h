#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heliostat::cli {

// A progress bar on stderr. It appears only if stderr is a terminal, --quiet is not given and the work has taken a
// second. The destructor removes it. Not thread-safe.
class ProgressBar {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  using Write = std::function<void(std::string_view)>;

  ProgressBar(std::string label, std::size_t total, bool is_quiet);
  // For tests: takes the time from `now` and prints with `write`.
  ProgressBar(std::string label, std::size_t total, Now now, Write write);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Counts one more part of `total` as done.
  void Advance();
  // Shows `share`, 0 to 1, of the work or of its time limit as done, and `note` after the bar. At most ten times per
  // second.
  void Show(double share, std::string_view note);

 private:
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  Now now_;
  Write write_;  // empty: silent
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_at_;
  bool is_shown_ = false;
};

}  // namespace heliostat::cli
