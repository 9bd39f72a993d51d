#include "heliostat/control/sim/requests.h"

#include <algorithm>

namespace heliostat::sim {

void RequestQueue::Resize(int replicas, double now) {
  const auto count = static_cast<std::size_t>(replicas);
  // Removes the replicas that are busy the longest: they finish their batch and get no other.
  std::sort(free_at_s_.begin(), free_at_s_.end());
  if (free_at_s_.size() > count) free_at_s_.resize(count);
  while (free_at_s_.size() < count) free_at_s_.push_back(now);
}

RequestQueue::Served RequestQueue::Serve(double until_s, const Setting& setting) {
  Served served;
  Resize(setting.replicas, now_);
  while (counted_ < requests_.arrival_s.size() && requests_.arrival_s[counted_] < until_s) {
    ++counted_;
    served.arrived += 1.0;
  }
  const auto batch = static_cast<std::size_t>(std::max(1, setting.batch));
  while (setting.replicas > 0 && next_ + batch <= counted_) {
    const auto replica = std::min_element(free_at_s_.begin(), free_at_s_.end());
    const double complete = requests_.arrival_s[next_ + batch - 1];
    const double begin = std::max({complete, *replica, now_});
    if (begin >= until_s) break;
    double work = 1.0;
    if (!requests_.work.empty()) {
      work = 0.0;
      for (std::size_t i = next_; i < next_ + batch; ++i) work += requests_.work[i];
      work /= static_cast<double>(batch);
    }
    *replica = begin + setting.service_time.count() * work;
    for (std::size_t i = next_; i < next_ + batch; ++i) {
      served.latencies_s.push_back(static_cast<float>(*replica - requests_.arrival_s[i]));
    }
    next_ += batch;
  }
  now_ = until_s;
  std::sort(served.latencies_s.begin(), served.latencies_s.end());
  return served;
}

}  // namespace heliostat::sim
