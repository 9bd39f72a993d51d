#include "heliostat/model/serving/batch_queue.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heliostat/model/serving/poisson.h"

namespace heliostat::serving {
namespace {

// The positive root of rho (e^eta - 1) = eta: P(L >= m) <= e^(-eta m), and about that for large m.
double DecayRate(double rho) {
  double eta = -2 * std::log(rho);  // above the root, so that Newton's steps do not overshoot
  for (int i = 0; i < 100; ++i) {
    const double step = (rho * std::expm1(eta) - eta) / (rho * std::exp(eta) - 1);
    eta -= step;
    if (!(step > 1e-12 * eta)) break;
  }
  return eta;
}

// Exponent of P(Poisson(n c rho) >= n c) over n c.
double LargeDeviation(double rho) { return rho - 1 - std::log(rho); }

// g[l] = sum over n >= 1 of P(Poisson(n c rho) = n c + l) / n: by Spitzer's identity the coefficients of the logarithm
// of L's generating function. Terms change slowly for large n, so the stride doubles there; the sum exceeds the true
// one by less than 1e-4.
std::vector<double> SpitzerCoefficients(std::int64_t servers, double rho, std::size_t length, double digits) {
  constexpr std::int64_t kOneByOne = 64;
  const double last = digits / (static_cast<double>(servers) * LargeDeviation(rho));
  std::vector<double> g(length + 1, 0.0);
  std::int64_t stride = 1;
  for (std::int64_t n = 1; static_cast<double>(n) <= std::max(last, 1.0); n += stride) {
    auto weight = static_cast<double>(stride);
    if (n == kOneByOne * stride) {
      weight *= 1.5;
      stride *= 2;
    }
    const double mean = rho * static_cast<double>(n * servers);
    double term = weight / static_cast<double>(n) * PoissonAt(n * servers, mean);
    auto count = static_cast<double>(n * servers);
    for (std::size_t l = 1; l <= length; ++l) {
      term *= mean / ++count;
      g[l] += term;
    }
  }
  return g;
}

// The distribution of waits at one load, evaluated many times to find a percentile.
class WaitDistribution {
 public:
  WaitDistribution(const BatchQueue& queue, double ignored)
      : queue_(queue),
        servers_(std::int64_t{queue.batch} * queue.replicas),
        waiting_(WaitingInQueue(servers_, queue.rho, ignored)) {}

  double ShareWithin(double t) const {
    const double services = std::floor(t) + 1;
    const auto batch = static_cast<std::size_t>(queue_.batch);
    const auto depth = waiting_.size();
    const std::int64_t first =
        static_cast<std::int64_t>(services) * servers_ - static_cast<std::int64_t>(batch + depth) + 1;
    const auto arrived = PoissonUpTo(first, batch + depth - 1, queue_.requests_per_service() * (services - t));
    const double forming = queue_.requests_per_service() * t;
    double term = std::exp(-forming);
    double complete = 1.0;  // P(Poisson(forming) >= missing)
    double sum = 0.0;
    for (std::size_t missing = 0; missing < batch; ++missing) {
      double free = 0.0;
      const std::size_t newest = batch - 1 - missing + depth - 1;
      for (std::size_t l = 0; l < depth; ++l) free += waiting_[l] * arrived[newest - l];
      sum += complete * free;
      complete = std::max(0.0, complete - term);
      term *= forming / static_cast<double>(missing + 1);
    }
    return sum / static_cast<double>(batch);
  }

 private:
  BatchQueue queue_;
  std::int64_t servers_;
  std::vector<double> waiting_;
};

// The zero of `excess`, which falls: the upper end of a bracket narrower than `tolerance`.
template <typename Function>
double FallsToZero(const Function& excess, double low, double high, double tolerance) {
  double at_low = excess(low);
  if (at_low <= 0) return low;
  double at_high = excess(high);
  while (at_high > 0) {
    low = high;
    at_low = at_high;
    high = 2 * high + tolerance;
    at_high = excess(high);
  }
  for (int i = 0; i < 200 && high - low > tolerance; ++i) {
    // False position, which is fast for nearly linear functions; every third step is a bisection, which always
    // converges.
    double middle =
        i % 3 == 2 || !std::isfinite(at_high) ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
    middle = std::clamp(middle, low + 0.4 * tolerance, high - 0.4 * tolerance);
    const double value = excess(middle);
    (value > 0 ? low : high) = middle;
    (value > 0 ? at_low : at_high) = value;
  }
  return high;
}

double ShareNotFormed(int batch, double arrivals) {
  double term = std::exp(-arrivals);
  double fewer = 0.0;  // P(Poisson(arrivals) < missing)
  double sum = 0.0;
  for (int missing = 1; missing < batch; ++missing) {
    fewer += term;
    term *= arrivals / missing;
    sum += fewer;
  }
  return sum / batch;
}

}  // namespace

std::vector<double> WaitingInQueue(std::int64_t servers, double rho, double ignored) {
  const double eta = DecayRate(rho);
  const auto length = static_cast<std::size_t>(std::ceil(-std::log(ignored) / eta));
  // The exponent is 12 above that of the rarest queue of interest, so further terms add less than 1e-5 relative to
  // those that count.
  const auto g = SpitzerCoefficients(servers, rho, length, 12 - std::log(ignored));
  std::vector<double> waiting(length + 1, 0.0);
  waiting[0] = 1.0;
  double total = 1.0;
  for (std::size_t m = 1; m <= length; ++m) {
    double sum = 0.0;
    for (std::size_t l = 1; l <= m; ++l) sum += static_cast<double>(l) * g[l] * waiting[m - l];
    waiting[m] = sum / static_cast<double>(m);
    total += waiting[m];
  }
  total += waiting[length] / std::expm1(eta);  // the geometric tail
  for (double& share : waiting) share /= total;
  return waiting;
}

double FormingPercentile(int batch, double percentile) {
  const auto excess = [&](double arrivals) { return std::log(ShareNotFormed(batch, arrivals) / (1 - percentile)); };
  if (batch == 1) return 0.0;
  return FallsToZero(excess, 0.0, batch, 1e-7 * batch);
}

double WaitPercentile(const BatchQueue& queue, double percentile) {
  constexpr double kIgnored = 1e-5;
  constexpr double kTolerance = 1e-4;
  const WaitDistribution waits(queue, kIgnored * (1 - percentile));
  const auto excess = [&](double t) { return std::log((1 - waits.ShareWithin(t)) / (1 - percentile)); };
  const double formed = FormingPercentile(queue.batch, percentile) / queue.requests_per_service();
  return FallsToZero(excess, formed, WaitBound(queue, percentile), kTolerance);
}

double WaitBound(const BatchQueue& queue, double percentile) {
  const double eta = DecayRate(queue.rho);
  // Mean over j of e^(eta j): a request that waits for j others sees the queue that the last of them will find.
  const double ahead = queue.batch == 1 ? 1.0 : std::expm1(eta * queue.batch) / std::expm1(eta) / queue.batch;
  const auto excess = [&](double t) {
    const double queued = ahead * std::exp(-queue.servers() * eta * t);
    return std::log((queued + ShareNotFormed(queue.batch, queue.requests_per_service() * t)) / (1 - percentile));
  };
  const double queue_alone = std::max(0.0, std::log(ahead / (1 - percentile)) / (queue.servers() * eta));
  return FallsToZero(excess, queue_alone, 1.25 * queue_alone, 1e-4);
}

double QueueingShareBound(const BatchQueue& queue, double forming) {
  const double servers = queue.servers();
  const double mean = queue.requests_per_service();
  const double busy = std::exp(-servers * LargeDeviation(queue.rho));
  // Requests that wait a whole service for their batch find a free GPU unless more than c arrive in a service. Others
  // wait when the missing requests of their batch would already fill the GPUs.
  const double crowd = forming >= 1 ? servers + 1 : servers - queue.batch + 1;
  if (crowd <= mean || busy >= 1) return 1.0;
  return busy / (1 - busy) + std::exp(crowd - mean - crowd * std::log(crowd / mean));
}

}  // namespace heliostat::serving
