#pragma once

#include <cstdint>
#include <vector>

namespace heliostat::serving {

// The waiting of requests that are gathered into batches and served by several GPUs, exactly, in units of one batch's
// service time. docs/models/inference.md derives it: with c = batch * replicas,
//
//   P(wait <= t) = mean over j = 0..batch-1 of P(Poisson(c rho t) >= j) * P(L + Poisson(c rho s) <= k c - 1 - j)
//
// where k = floor(t) + 1, s = k - t, and L is the number waiting in the M/D/c queue. j counts the requests still
// missing from the batch; the first factor says that they have come by t, the second that a GPU is free by then.
struct BatchQueue {
  int batch = 1;
  int replicas = 1;
  double rho = 0.0;  // share of the time that a GPU is busy, in (0, 1)

  double servers() const { return static_cast<double>(batch) * replicas; }
  double requests_per_service() const { return rho * servers(); }
};

// Requests that must come, at the rate of one a unit of time, until the share `percentile` of requests have their batch
// complete: the wait of a system with GPUs without end.
double FormingPercentile(int batch, double percentile);

// What the share `percentile` of requests do not wait longer than, forming and queueing, rounded up by at most 1e-4
// services. Costs from microseconds, where queues are rare, to a few milliseconds near rho = 0.98.
double WaitPercentile(const BatchQueue& queue, double percentile);

// A bound on the same from Lundberg's inequality: close when rho is near 1, and cheap there.
double WaitBound(const BatchQueue& queue, double percentile);

// No more than this share of requests wait for a GPU after their batch is complete; needs two logarithms.
double QueueingShareBound(const BatchQueue& queue, double forming);

// P(L = 0), P(L = 1), ... for the number L waiting in the M/D/c queue with load rho, until what remains is below
// `ignored`.
std::vector<double> WaitingInQueue(std::int64_t servers, double rho, double ignored);

}  // namespace heliostat::serving
