#include "heliostat/model/serving/latency.h"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "heliostat/base/core/check.h"
#include "heliostat/model/serving/batch_queue.h"

namespace heliostat::serving {
namespace {

// Loads at which waits are computed exactly: evenly spaced in ln(rho / (1 - rho)), because waits change fast where rho
// is about 1 - percentile and grow like 1 / (1 - rho).
constexpr int kStepsPerUnit = 24;
constexpr double kLowest = -9.0;
constexpr double kHighest = 3.875;  // rho 0.98
constexpr std::size_t kNodes = static_cast<std::size_t>((kHighest - kLowest) * kStepsPerUnit) + 1;

double LoadAt(double logit) { return 1 / (1 + std::exp(-logit)); }

// Waits of one (batch, replicas, percentile) over the load, in service times. Each node is computed at its first use,
// because a search for the fewest replicas uses many curves at a few loads each. Thread-safe.
class Curve {
 public:
  Curve(int batch, int replicas, double percentile)
      : batch_(batch),
        replicas_(replicas),
        percentile_(percentile),
        forming_(FormingPercentile(batch, percentile + kNegligible * (1 - percentile))) {
    for (auto& node : nodes_) node.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
  }

  double WaitAt(double rho) const {
    const BatchQueue queue{batch_, replicas_, rho};
    const double formed = forming_ / queue.requests_per_service();
    if (QueueingShareBound(queue, formed) <= kNegligible * (1 - percentile_)) return formed;
    const double place = (std::log(rho / (1 - rho)) - kLowest) * kStepsPerUnit;
    if (place < 0) return WaitPercentile(queue, percentile_);
    if (place >= static_cast<double>(kNodes - 1)) return WaitBound(queue, percentile_);
    const auto left = static_cast<std::size_t>(place);
    const double low = ArrivalsAt(left);
    const double high = ArrivalsAt(left + 1);
    return (low + (high - low) * (place - std::floor(place))) / rho;
  }

 private:
  static constexpr double kNegligible = 1e-6;

  // rho * wait at a node: the wait in units of the time in which `servers` requests arrive. It rises with the load and
  // is convex, so the straight line between two nodes is above it.
  double ArrivalsAt(std::size_t node) const {
    double value = nodes_[node].load(std::memory_order_relaxed);
    if (std::isnan(value)) {
      const double rho = LoadAt(kLowest + static_cast<double>(node) / kStepsPerUnit);
      value = rho * WaitPercentile({batch_, replicas_, rho}, percentile_);
      nodes_[node].store(value, std::memory_order_relaxed);  // every thread computes the same value
    }
    return value;
  }

  int batch_;
  int replicas_;
  double percentile_;
  double forming_;
  mutable std::array<std::atomic<double>, kNodes> nodes_;
};

const Curve& CurveFor(int batch, int replicas, double percentile) {
  // A curve depends on its key only, so sharing it between callers changes only the time.
  static std::shared_mutex mutex;
  static std::map<std::tuple<int, int, double>, std::unique_ptr<const Curve>> curves;
  const std::tuple<int, int, double> key{batch, replicas, percentile};
  {
    const std::shared_lock lock(mutex);
    const auto found = curves.find(key);
    if (found != curves.end()) return *found->second;
  }
  const std::unique_lock lock(mutex);
  auto& curve = curves[key];
  if (!curve) curve = std::make_unique<const Curve>(batch, replicas, percentile);
  return *curve;
}

}  // namespace

Seconds LatencyPercentile(const Load& load, double percentile) {
  Check(percentile > 0 && percentile < 1, "the percentile of the latency is not between 0 and 1");
  Check(load.batch >= 1 && load.replicas >= 1, "batch and replicas must be at least 1");
  Check(load.service_time.count() > 0 && load.requests_per_s >= 0,
        "the service time must be above 0 and the rate 0 or more");
  if (load.requests_per_s == 0) return load.service_time;
  const double rho =
      load.requests_per_s * load.service_time.count() / (static_cast<double>(load.batch) * load.replicas);
  if (!(rho < 1)) return Seconds{std::numeric_limits<double>::infinity()};
  return load.service_time * (1 + CurveFor(load.batch, load.replicas, percentile).WaitAt(rho));
}

}  // namespace heliostat::serving
