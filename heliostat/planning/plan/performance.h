#pragma once

#include <vector>

#include "heliostat/planning/plan/plan.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {

// The performance of docs/contract.md in parts, so that solvers can value one job or one slot as the whole plan is
// valued.

// The window of a job's headroom: from submit to its deadline or, without one, to the end of the horizon.
Interval HeadroomWindow(const scenario::Scenario& scenario, const scenario::Job& job);

// The integral over `work`, from `begin` on, of the share of `window` that is left, in seconds. Exact: the share falls
// linearly in time, from 1 before the window to 0 after it.
double LeftShareSeconds(const Interval& window, Instant begin, Seconds work);

// The share of the window that is left when a sample is made, averaged over all samples of the job, 0 to 1. Samples
// that are not made count 0.
double JobHeadroom(const scenario::Job& job, const Interval& window, const std::vector<ProgressSpan>& pieces);
double JobHeadroom(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan);

// The share of the latency objective that is left, 0 to 1.
double LatencyHeadroom(const scenario::Service& service, Seconds latency);
// The mean of LatencyHeadroom() over all requests. Requests in a slot without replicas count 0. A service without
// requests has 1.
double ServiceHeadroom(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan);

// Reference GPU-hours of the requests that are served, at most as many as the replicas can serve.
double ServiceGpuHours(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan);

}  // namespace heliostat::plan
