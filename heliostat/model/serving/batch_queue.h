#pragma once

#include <cstdint>
#include <vector>

namespace heliostat::serving {

// The exact distribution of the waiting time of requests that form batches and are served by several GPUs, in units of
// the service time of one batch. docs/models/inference.md derives it. With c = batch * replicas,
//
//   P(wait <= t) = mean over j = 0..batch-1 of P(Poisson(c rho t) >= j) * P(L + Poisson(c rho s) <= k c - 1 - j)
//
// where k = floor(t) + 1, s = k - t, and L is the number waiting in the M/D/c queue. j is the number of requests still
// missing in the batch. The first factor is the probability that they have arrived by t, the second that a GPU is free
// by then.
struct BatchQueue {
  int batch = 1;
  int replicas = 1;
  double rho = 0.0;  // share of the time that a GPU is busy, in (0, 1)

  double servers() const { return static_cast<double>(batch) * replicas; }
  double requests_per_service() const { return rho * servers(); }
};

// The time until the share `percentile` of requests have a complete batch, when one request arrives per unit of time:
// the wait with an unlimited number of GPUs.
double FormingPercentile(int batch, double percentile);

// The wait, for the batch and in the queue, that the share `percentile` of requests do not exceed, in service times;
// rounded up by at most 1e-4. Takes microseconds where queues are rare, and a few milliseconds near rho = 0.98.
double WaitPercentile(const BatchQueue& queue, double percentile);

// An upper bound of WaitPercentile() from Lundberg's inequality. It is tight and cheap when rho is near 1.
double WaitBound(const BatchQueue& queue, double percentile);

// An upper bound on the share of requests that wait for a GPU after their batch is complete. Cheap: two logarithms.
double QueueingShareBound(const BatchQueue& queue, double forming);

// P(L = 0), P(L = 1), ... for the number L waiting in the M/D/c queue with load rho, until what remains is below
// `ignored`.
std::vector<double> WaitingInQueue(std::int64_t servers, double rho, double ignored);

}  // namespace heliostat::serving
