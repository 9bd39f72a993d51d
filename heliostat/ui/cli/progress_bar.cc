#include "heliostat/ui/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "heliostat/base/core/log_format.h"

namespace heliostat::cli {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kBetween{100};  // between two updates

}  // namespace

ProgressBar::ProgressBar(std::string label, std::size_t total, bool is_quiet)
    : ProgressBar(
          std::move(label), total, std::chrono::steady_clock::now,
          is_quiet || ::isatty(STDERR_FILENO) == 0 || PresentLogFormat() == LogFormat::kJson
              ? Write()
              : [](std::string_view text) { fmt::print(stderr, "{}", text), std::fflush(stderr); }) {}

ProgressBar::ProgressBar(std::string label, std::size_t total, Now now, Write write)
    : label_(std::move(label)),
      total_(std::max<std::size_t>(total, 1)),
      now_(std::move(now)),
      write_(std::move(write)),
      start_(now_()) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) write_("\r\x1b[K");
}

void ProgressBar::Advance() {
  done_ = std::min(done_ + 1, total_);
  Show(static_cast<double>(done_) / static_cast<double>(total_), fmt::format("{}/{}", done_, total_));
}

void ProgressBar::Show(double share, std::string_view note) {
  if (!write_) return;
  const auto now = now_();
  if (now - start_ < kPatience || (is_shown_ && now - shown_at_ < kBetween)) return;
  // NaN shows an empty bar.
  const double inside = share > 0.0 ? std::min(share, 1.0) : 0.0;
  const auto filled = static_cast<std::size_t>(static_cast<double>(kWidth) * inside);
  write_(fmt::format("\r{} [{:<{}}] {}\x1b[K", label_, std::string(filled, '#'), kWidth, note));
  is_shown_ = true;
  shown_at_ = now;
}

}  // namespace heliostat::cli
