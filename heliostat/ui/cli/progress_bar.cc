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
// Without a terminal.
constexpr std::chrono::seconds kPatienceOfLogs{10};
constexpr std::chrono::seconds kBetweenLines{30};

}  // namespace

ProgressBar::ProgressBar(std::string label, std::size_t total, bool is_quiet)
    : ProgressBar(
          std::move(label), total, std::chrono::steady_clock::now,
          is_quiet || PresentLogFormat() == LogFormat::kJson
              ? Write()
              : [](std::string_view text) { fmt::print(stderr, "{}", text), std::fflush(stderr); },
          ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::ProgressBar(std::string label, std::size_t total, Now now, Write write, bool is_terminal)
    : label_(std::move(label)),
      total_(std::max<std::size_t>(total, 1)),
      now_(std::move(now)),
      write_(std::move(write)),
      is_terminal_(is_terminal),
      start_(now_()),
      shown_at_(start_) {}

ProgressBar::~ProgressBar() {
  if (is_shown_ && is_terminal_) write_("\r\x1b[K");
}

void ProgressBar::Advance() {
  done_ = std::min(done_ + 1, total_);
  Show(static_cast<double>(done_) / static_cast<double>(total_), fmt::format("{}/{}", done_, total_));
}

bool ProgressBar::IsLong() const { return now_() - start_ >= (is_terminal_ ? kPatience : kPatienceOfLogs); }

void ProgressBar::PrintHeld() {
  if (held_.empty()) return;
  write_(is_shown_ && is_terminal_ ? "\r\x1b[K" + held_ : held_);
  held_.clear();
}

void ProgressBar::Say(std::string_view line) {
  if (!write_) return;
  held_ += line;
  held_ += '\n';
  if (IsLong()) PrintHeld();
}

std::string ProgressBar::TimeLeft(double share) const {
  constexpr double kTooEarly = 0.02;
  const double passed_s = std::chrono::duration<double>(now_() - start_).count();
  if (!(share > kTooEarly) || share >= 1.0 || passed_s < 2.0) return {};
  const double left_s = passed_s * (1.0 - share) / share;
  if (left_s < 90.0) return fmt::format(", about {:.0f} s left", std::max(1.0, left_s));
  return fmt::format(", about {:.0f} min left", left_s / 60.0);
}

void ProgressBar::Show(double share, std::string_view note) {
  if (!write_ || !IsLong()) return;
  PrintHeld();
  const auto now = now_();
  if (is_terminal_ ? is_shown_ && now - shown_at_ < kBetween : now - shown_at_ < kBetweenLines) return;
  if (is_terminal_) {
    // NaN shows an empty bar.
    const double inside = share > 0.0 ? std::min(share, 1.0) : 0.0;
    const auto filled = static_cast<std::size_t>(static_cast<double>(kWidth) * inside);
    write_(fmt::format("\r{} [{:<{}}] {}\x1b[K", label_, std::string(filled, '#'), kWidth, note));
  } else {
    write_(fmt::format("{}: {}\n", label_, note));
  }
  is_shown_ = true;
  shown_at_ = now;
}

}  // namespace heliostat::cli
