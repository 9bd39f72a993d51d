#include "heliostat/control/sim/requests.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/model/serving/latency.h"

namespace heliostat::sim {
namespace {

Requests Poisson(double rate, double seconds, std::uint64_t seed) {
  RandomStream random(seed);
  Requests requests;
  for (double t = random.Exponential(1.0 / rate); t < seconds; t += random.Exponential(1.0 / rate)) {
    requests.arrival_s.push_back(t);
  }
  return requests;
}

TEST(RequestQueue, OneRequestTakesItsServiceTime) {
  Requests requests;
  requests.arrival_s = {1.0, 1.0, 5.0};
  RequestQueue queue(requests);
  const auto served = queue.Serve(10.0, {1, 1, Seconds{0.5}});
  ASSERT_EQ(served.latencies_s.size(), 3U);
  EXPECT_FLOAT_EQ(served.latencies_s[0], 0.5F);
  EXPECT_FLOAT_EQ(served.latencies_s[1], 0.5F);
  EXPECT_FLOAT_EQ(served.latencies_s[2], 1.0F);  // waited for the first
}

TEST(RequestQueue, ABatchWaitsUntilItIsFull) {
  Requests requests;
  requests.arrival_s = {0.0, 3.0};
  RequestQueue queue(requests);
  const auto served = queue.Serve(10.0, {2, 1, Seconds{1.0}});
  ASSERT_EQ(served.latencies_s.size(), 2U);
  EXPECT_FLOAT_EQ(served.latencies_s[0], 1.0F);
  EXPECT_FLOAT_EQ(served.latencies_s[1], 4.0F);
}

TEST(RequestQueue, WorkOfARequestScalesItsService) {
  Requests requests;
  requests.arrival_s = {0.0};
  requests.work = {2.5F};
  RequestQueue queue(requests);
  EXPECT_FLOAT_EQ(queue.Serve(10.0, {1, 1, Seconds{1.0}}).latencies_s[0], 2.5F);
}

// The queueing model for rates, compared with the queue itself.
TEST(RequestQueue, PercentilesAgreeWithTheQueuesLaw) {
  struct Case {
    int batch;
    int replicas;
    double load;
  };
  for (const Case& c : {Case{1, 1, 0.5}, Case{4, 2, 0.7}, Case{8, 3, 0.6}}) {
    const double service = 0.05;
    const double rate = c.load * c.batch * c.replicas / service;
    const Requests requests = Poisson(rate, 2000.0, 7);
    RequestQueue queue(requests);
    const auto served = queue.Serve(2001.0, {c.batch, c.replicas, Seconds{service}});
    const double law = serving::LatencyPercentile({rate, c.batch, c.replicas, Seconds{service}}, 0.95).count();
    const double measured =
        served.latencies_s[static_cast<std::size_t>(0.95 * static_cast<double>(served.latencies_s.size()))];
    EXPECT_LE(measured, law * 1.05) << c.batch << " " << c.replicas;
    EXPECT_GE(measured, law * 0.80) << c.batch << " " << c.replicas;
  }
}

// A span of time served in two calls gives the same requests and latencies.
TEST(RequestQueue, CuttingTimeChangesNothing) {
  const Requests requests = Poisson(50.0, 100.0, 3);
  const RequestQueue::Setting setting{2, 2, Seconds{0.06}};
  RequestQueue whole(requests);
  auto all = whole.Serve(200.0, setting).latencies_s;
  RequestQueue parts(requests);
  std::vector<float> sum;
  double arrived = 0.0;
  for (const double until : {10.0, 11.5, 60.0, 200.0}) {
    const auto served = parts.Serve(until, setting);
    arrived += served.arrived;
    sum.insert(sum.end(), served.latencies_s.begin(), served.latencies_s.end());
  }
  std::sort(sum.begin(), sum.end());
  EXPECT_EQ(sum, all);
  EXPECT_EQ(arrived, static_cast<double>(requests.arrival_s.size()));
}

TEST(RequestQueue, WithoutReplicasNobodyIsServed) {
  const Requests requests = Poisson(5.0, 10.0, 3);
  RequestQueue queue(requests);
  EXPECT_TRUE(queue.Serve(10.0, {1, 0, Seconds{0.1}}).latencies_s.empty());
  EXPECT_EQ(queue.Serve(20.0, {1, 4, Seconds{0.1}}).latencies_s.size(), requests.arrival_s.size());
}

}  // namespace
}  // namespace heliostat::sim
