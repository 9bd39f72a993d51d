#include "heliostat/model/serving/latency.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "heliostat/model/serving/batch_queue.h"

namespace heliostat::serving {
namespace {

// Between nodes a curve may be this much above the exact wait.
constexpr double kBetweenNodes = 1.015;

struct Case {
  int batch;
  int replicas;
  double rho;
  double percentile;

  Load load(double service_s = 1.0) const {
    return {rho * batch * replicas / service_s, batch, replicas, Seconds{service_s}};
  }
  double latency() const { return LatencyPercentile(load(), percentile).count(); }
};

Case AnyCase() {
  static const std::vector<double> kPercentiles{0.5, 0.9, 0.95, 0.99, 0.999};
  return {*rc::gen::element(1, 2, 3, 4, 8, 16, 32), *rc::gen::element(1, 2, 3, 8, 24, 100),
          *rc::gen::inRange(1, 979) / 1000.0, *rc::gen::elementOf(kPercentiles)};
}

RC_GTEST_PROP(LatencyPercentileTest, IsAtOrJustAboveTheExactOne, ()) {
  const Case c = AnyCase();
  const double exact = 1 + WaitPercentile({c.batch, c.replicas, c.rho}, c.percentile);
  RC_ASSERT(c.latency() >= exact * (1 - 2e-4));
  RC_ASSERT(c.latency() <= exact * kBetweenNodes);
}

RC_GTEST_PROP(LatencyPercentileTest, ScalesWithTime, ()) {
  const Case c = AnyCase();
  const double service_s = std::exp(*rc::gen::inRange(-80, 30) / 10.0);
  const double scaled = LatencyPercentile(c.load(service_s), c.percentile).count();
  RC_ASSERT(std::abs(scaled / (service_s * c.latency()) - 1) < 1e-9);
}

RC_GTEST_PROP(LatencyPercentileTest, NeverFallsWithTheRateWhenNothingIsGathered, ()) {
  Case low = AnyCase();
  low.batch = 1;
  Case high = low;
  high.rho = low.rho + (0.9999 - low.rho) * *rc::gen::inRange(1, 1000) / 1000.0;
  RC_ASSERT(low.latency() <= high.latency() + 2e-4);
}

RC_GTEST_PROP(LatencyPercentileTest, NeverGrowsWithReplicas, ()) {
  const Case few = AnyCase();
  Case more = few;
  more.replicas += *rc::gen::inRange(1, 20);
  more.rho = few.rho * few.replicas / more.replicas;
  RC_ASSERT(more.latency() <= few.latency() * kBetweenNodes);
}

RC_GTEST_PROP(LatencyPercentileTest, NeverFallsWithThePercentile, ()) {
  Case low = AnyCase();
  low.percentile = *rc::gen::element(0.5, 0.9, 0.95, 0.99);
  Case high = low;
  high.percentile = 1 - (1 - low.percentile) / *rc::gen::element(2, 5, 10);
  RC_ASSERT(low.latency() <= high.latency() * kBetweenNodes);
}

TEST(LatencyPercentileTest, IsTheServiceTimeWithoutRequests) {
  EXPECT_EQ(LatencyPercentile({0.0, 16, 3, Seconds{0.04}}, 0.99), Seconds{0.04});
}

TEST(LatencyPercentileTest, IsInfiniteWhenTheReplicasCannotKeepUp) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(LatencyPercentile({100.0, 4, 1, Seconds{0.04}}, 0.99).count(), infinity);
  EXPECT_EQ(LatencyPercentile({1000.0, 4, 1, Seconds{0.04}}, 0.99).count(), infinity);
  EXPECT_LT(LatencyPercentile({99.99, 4, 1, Seconds{0.04}}, 0.99).count(), infinity);
}

TEST(LatencyPercentileTest, OfRareRequestsInPairsIsTheWaitForTheNextOne) {
  const double latency = LatencyPercentile({0.01, 2, 1, Seconds{0.02}}, 0.99).count();
  EXPECT_NEAR(latency, 100 * std::log(50.0) + 0.02, 1e-2);
}

TEST(LatencyPercentileTest, WithThousandsOfReplicasIsFormingAndService) {
  const Load load{0.9 * 32 * 4000 / 0.05, 32, 4000, Seconds{0.05}};
  EXPECT_NEAR(LatencyPercentile(load, 0.999).count(), 0.05 + FormingPercentile(32, 0.999) / load.requests_per_s, 1e-6);
}

TEST(LatencyPercentileTest, IsTheSameFromSeveralThreads) {
  std::array<std::vector<double>, 4> seen;
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 1; i < 95; ++i) mine.push_back(Case{4, 5 + i % 7, i / 100.0, 0.97}.latency());
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
}

TEST(LatencyPercentileDeathTest, RefusesWhatIsNoPercentile) {
  for (const double percentile : {0.0, 1.0, 99.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_DEATH(LatencyPercentile({1.0, 1, 1, Seconds{0.1}}, percentile), "percentile of the latency");
  }
}

}  // namespace
}  // namespace heliostat::serving
