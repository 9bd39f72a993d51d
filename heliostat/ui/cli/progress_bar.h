#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heliostat::cli {

// Progress of long work on stderr, unless --quiet is given. On a terminal it is a bar that appears when the work has
// taken a second and that the destructor removes. Elsewhere, such as in a log file, it is a line every half minute. Not
// thread-safe.
class ProgressBar {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  using Write = std::function<void(std::string_view)>;

  ProgressBar(std::string label, std::size_t total, bool is_quiet);
  // For tests: takes the time from `now` and prints with `write`.
  ProgressBar(std::string label, std::size_t total, Now now, Write write, bool is_terminal = true);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Counts one more part of `total` as done.
  void Advance();
  // Shows `share`, 0 to 1, of the work or of its time limit as done, and `note` after the bar. At most ten times per
  // second.
  void Show(double share, std::string_view note);
  // Prints a line that stays, once the work has taken long enough for progress to be shown. Work that ends before
  // prints none.
  void Say(std::string_view line);
  // ", about 2 min left", from the time that `share` of the work has taken; empty when it is too early to tell.
  std::string TimeLeft(double share) const;

 private:
  // True once the work has taken so long that its progress is shown.
  bool IsLong() const;
  void PrintHeld();
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  Now now_;
  Write write_;  // empty: silent
  bool is_terminal_;
  std::string held_;  // lines that wait until the work is long
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_at_;
  bool is_shown_ = false;
};

}  // namespace heliostat::cli
