#include "fakes/nvml/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::nvml_double {
namespace {

constexpr std::int64_t kBarWidth = 30;

std::string Clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 359999.0));
  if (whole < 3600) return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

double Remaining(const Progress& progress) {
  const auto left = static_cast<double>(progress.steps - progress.step);
  return progress.steps_per_s > 0.0 ? left / progress.steps_per_s : 0.0;
}

std::string Tqdm(const Progress& progress) {
  const std::int64_t filled = kBarWidth * progress.step / progress.steps;
  std::string bar;
  for (std::int64_t i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : " ";
  return fmt::format("\r{:3}%|{}| {}/{} [{}<{}, {:6.2f}it/s]", 100 * progress.step / progress.steps, bar, progress.step,
                     progress.steps, Clock(progress.elapsed_s), Clock(Remaining(progress)), progress.steps_per_s);
}

std::string Keras(const Progress& progress) {
  const std::int64_t filled = kBarWidth * progress.step / progress.steps;
  std::string bar(static_cast<std::size_t>(filled), '=');
  if (filled < kBarWidth) bar += '>' + std::string(static_cast<std::size_t>(kBarWidth - filled - 1), '.');
  const double step_ms = progress.steps_per_s > 0.0 ? 1e3 / progress.steps_per_s : 0.0;
  return fmt::format("\r{}/{} [{}] - {}: {} {:.0f}ms/step", progress.step, progress.steps, bar,
                     progress.step < progress.steps ? "ETA" : "time",
                     Clock(progress.step < progress.steps ? Remaining(progress) : progress.elapsed_s), step_ms);
}

}  // namespace

std::string ProgressText(Style style, const Progress& progress) {
  if (style == Style::kPlain) {
    return fmt::format("step {}/{} {:.1f} it/s\n", progress.step, progress.steps, progress.steps_per_s);
  }
  const std::string bar = style == Style::kTqdm ? Tqdm(progress) : Keras(progress);
  return progress.step < progress.steps ? bar : bar + "\n";
}

}  // namespace heliostat::nvml_double
