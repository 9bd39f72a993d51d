#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heliostat::cli {

// A bar on stderr for work whose length is known. Silent unless stderr is a terminal,
// the user did not ask for quiet, and the work has gone on for a second; removes
// itself at the end. Not thread-safe.
class ProgressBar {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  using Write = std::function<void(std::string_view)>;

  ProgressBar(std::string label, std::size_t total, bool is_quiet);
  // For tests: another clock, another place to write.
  ProgressBar(std::string label, std::size_t total, Now now, Write write);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // One more part is done.
  void Advance();
  // This share of the work is done, or of the time for it; `note` says how it stands.
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
