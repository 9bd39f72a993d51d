#include "heliostat/node/process/output_queue.h"

#include <algorithm>
#include <utility>

namespace heliostat::process {

void OutputQueue::Put(std::string_view bytes) {
  const std::lock_guard hold(mutex_);
  if (waiting_.size() + bytes.size() > most_) {
    // Only whole lines remain: half of a number would be another number.
    if (!is_skipping_) waiting_.resize(waiting_.rfind('\n') + 1);
    is_skipping_ = true;
    return;
  }
  if (is_skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    is_skipping_ = false;
  }
  waiting_.append(bytes);
}

std::string OutputQueue::Take() {
  std::string taken;
  const std::lock_guard hold(mutex_);
  std::swap(taken, waiting_);
  return taken;
}

}  // namespace heliostat::process
