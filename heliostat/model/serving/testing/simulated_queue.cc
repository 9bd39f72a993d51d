#include "heliostat/model/serving/testing/simulated_queue.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "heliostat/base/core/random.h"

namespace heliostat::serving::testing {

std::vector<double> SimulatedLatencies(const Load& load, std::size_t requests, std::uint64_t seed) {
  // Queues forget their start within about 2 / (1 - rho)^2 requests, 800 at the highest load that tests use.
  const auto warm_up = static_cast<std::size_t>(4000 + 10 * load.batch * load.replicas);
  RandomStream stream(seed);
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (int gpu = 0; gpu < load.replicas; ++gpu) free_at.push(0.0);
  std::vector<double> gathered;
  std::vector<double> latencies;
  latencies.reserve(requests + static_cast<std::size_t>(load.batch));
  double now = 0;
  for (std::size_t played = 0; latencies.size() < requests; ++played) {
    now += stream.Exponential(1 / load.requests_per_s);
    gathered.push_back(now);
    if (gathered.size() < static_cast<std::size_t>(load.batch)) continue;
    const double done = std::max(now, free_at.top()) + load.service_time.count();
    free_at.pop();
    free_at.push(done);
    if (played >= warm_up) {
      for (const double arrival : gathered) latencies.push_back(done - arrival);
    }
    gathered.clear();
  }
  return latencies;
}

std::vector<Share> SharesAbove(const Load& load, const std::vector<double>& limits, std::size_t plays,
                               std::size_t requests, std::uint64_t seed) {
  std::vector<Share> shares(limits.size());
  std::vector<double> squares(limits.size(), 0.0);
  const auto count = static_cast<double>(plays);
  for (std::size_t play = 0; play < plays; ++play) {
    const auto latencies = SimulatedLatencies(load, requests, RandomStream(seed).Split(play).Next());
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto above = std::count_if(latencies.begin(), latencies.end(), [&](double l) { return l > limits[i]; });
      const double share = static_cast<double>(above) / static_cast<double>(latencies.size());
      shares[i].mean += share / count;
      squares[i] += share * share / count;
    }
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double variance = std::max(0.0, squares[i] - shares[i].mean * shares[i].mean);
    shares[i].error = std::sqrt(variance / (count - 1));
  }
  return shares;
}

}  // namespace heliostat::serving::testing
