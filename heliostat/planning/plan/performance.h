#pragma once

#include <vector>

#include "heliostat/planning/plan/plan.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {

// The performance of docs/contract.md, piece by piece, so that solvers can weigh one job or one slot as the whole is
// weighed.

// The window that a job's headroom is a share of: from submit until its deadline or, without one, the horizon's end.
Interval HeadroomWindow(const scenario::Scenario& scenario, const scenario::Job& job);

// The mean over `work` of the share of `window` that is left, times the work's length in seconds. Exact: the share
// falls linearly in time, from 1 before the window to 0 behind it.
double LeftShareSeconds(const Interval& window, Instant begin, Seconds work);

// Share of the window still left as each sample is made, averaged over all the job's samples; those never made count 0.
double JobHeadroom(const scenario::Job& job, const Interval& window, const std::vector<ProgressSpan>& pieces);
double JobHeadroom(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan);

// Share of the latency budget that is left, 0 to 1.
double LatencyHeadroom(const scenario::Service& service, Seconds latency);
// Mean of that over all requests; requests in a slot without replicas count 0. A service without requests counts 1.
double ServiceHeadroom(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan);

// Reference GPU-hours of the requests that are served: as many as the replicas can keep up with.
double ServiceGpuHours(const scenario::Scenario& scenario, std::size_t service, const ServicePlan& plan);

}  // namespace heliostat::plan
