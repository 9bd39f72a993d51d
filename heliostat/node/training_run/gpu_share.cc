#include "heliostat/node/training_run/gpu_share.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace heliostat::training_run {

GpuShare GpuShareOf(std::span<const device::ProcessUse> uses, std::span<const pid_t> own,
                    const std::function<bool(pid_t)>& is_visible) {
  double mine = 0.0;
  double all = 0.0;
  std::size_t my_processes = 0;
  bool is_known = true;
  for (const device::ProcessUse& use : uses) {
    const bool is_mine = std::ranges::find(own, use.pid) != own.end();
    my_processes += is_mine ? 1 : 0;
    is_known = is_known && use.utilisation.has_value();
    all += use.utilisation.value_or(0.0);
    mine += is_mine ? use.utilisation.value_or(0.0) : 0.0;
  }
  if (uses.size() == my_processes) return {};
  const auto count = static_cast<double>(uses.size());
  if (my_processes == 0) {
    const bool is_hidden = std::ranges::none_of(uses, [&](const auto& use) { return is_visible(use.pid); });
    if (is_hidden) return {1.0 / count, uses.size() > 1, true};
    return {0.0, true, false};
  }
  if (is_known && all > 0.0) return {mine / all, true, false};
  return {static_cast<double>(my_processes) / count, true, !is_known};
}

bool IsVisible(pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

}  // namespace heliostat::training_run
