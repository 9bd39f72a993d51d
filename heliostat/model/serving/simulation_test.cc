// Compares the formulas with an event simulation of the system.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "heliostat/model/serving/testing/simulated_queue.h"

namespace heliostat::serving {
namespace {

using testing::SharesAbove;
using testing::SimulatedLatencies;

constexpr int kBatches[] = {1, 2, 8, 32};
constexpr int kReplicas[] = {1, 2, 3, 8, 24};
constexpr double kMostAbove = 1.15;
constexpr double kStandardErrors = 4.5;

Load LoadOf(int batch, int replicas, double rho) { return {rho * batch * replicas, batch, replicas, Seconds{1.0}}; }

std::uint64_t SeedOf(int batch, int replicas, double rho) {
  return static_cast<std::uint64_t>(batch * 100000 + replicas * 1000) + static_cast<std::uint64_t>(rho * 100);
}

// The percentile is right when no more requests than 1 - percentile are above it, and close when at least as many are
// above what is 15 % less; both within the noise of the simulation, which is measured.
void HoldAgainstSimulation(int batch, int replicas, double rho, const std::vector<double>& percentiles) {
  const Load load = LoadOf(batch, replicas, rho);
  std::vector<double> limits;
  for (const double percentile : percentiles) {
    const double latency = LatencyPercentile(load, percentile).count();
    // Where most requests do not wait, the limit is slightly above one service time.
    limits.push_back(latency + 1e-9);
    limits.push_back(std::max(latency / kMostAbove, 1 - 1e-9));
  }
  const auto shares = SharesAbove(load, limits, 16, 20000, SeedOf(batch, replicas, rho));
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    const double above = 1 - percentiles[i];
    const auto& predicted = shares[2 * i];
    const auto& closer = shares[2 * i + 1];
    EXPECT_LE(predicted.mean - kStandardErrors * predicted.error, 1.01 * above)
        << "batch " << batch << ", replicas " << replicas << ", load " << rho << ", percentile " << percentiles[i];
    EXPECT_GE(closer.mean + kStandardErrors * closer.error, above)
        << "batch " << batch << ", replicas " << replicas << ", load " << rho << ", percentile " << percentiles[i];
  }
}

TEST(SimulationTest, RequestsKeepThePredictedLatencyAndNotByMuch) {
  for (const int batch : kBatches) {
    for (const int replicas : kReplicas) {
      for (const double rho : {0.05, 0.4, 0.7})
        HoldAgainstSimulation(batch, replicas, rho, {0.5, 0.9, 0.95, 0.99, 0.999});
      for (const double rho : {0.85, 0.95}) HoldAgainstSimulation(batch, replicas, rho, {0.5, 0.9, 0.95, 0.99});
    }
  }
}

std::string Ratios(int batch, int replicas, double rho) {
  constexpr std::size_t kRequests = 4'000'000;
  const Load load = LoadOf(batch, replicas, rho);
  auto latencies = SimulatedLatencies(load, kRequests, SeedOf(batch, replicas, rho));
  std::sort(latencies.begin(), latencies.end());
  std::string cell;
  for (const double percentile : {0.5, 0.9, 0.99, 0.999}) {
    const double simulated = latencies[static_cast<std::size_t>(percentile * static_cast<double>(kRequests))];
    const double ratio = LatencyPercentile(load, percentile).count() / simulated;
    cell += fmt::format(" {:.3f}", ratio);
    EXPECT_LT(ratio, kMostAbove) << "batch " << batch << ", replicas " << replicas << ", load " << rho;
  }
  return cell;
}

// The table of docs/models/inference.md, on request: it simulates 250 million requests.
TEST(SimulationTest, TableOfPredictedOverSimulated) {
  if (std::getenv("HELIOSTAT_LATENCY_TABLE") == nullptr) GTEST_SKIP() << "set HELIOSTAT_LATENCY_TABLE to print it";
  fmt::print("| batch | replicas | load 0.3 | 0.6 | 0.8 | 0.9 | 0.95 |\n|---|---|---|---|---|---|---|\n");
  for (const int batch : {1, 4, 16, 32}) {
    for (const int replicas : {1, 3, 24}) {
      fmt::print("| {} | {} |", batch, replicas);
      for (const double rho : {0.3, 0.6, 0.8, 0.9, 0.95}) fmt::print("{} |", Ratios(batch, replicas, rho));
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace heliostat::serving
