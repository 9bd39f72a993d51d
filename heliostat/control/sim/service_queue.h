#pragma once

#include <optional>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/requests.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// Computes the latencies of one service: from rates, with the exact queueing model; from a trace, request by request.
// Not thread-safe.
class ServiceQueue {
 public:
  // `requests` may be null: rates then. All arguments must outlive it.
  ServiceQueue(const scenario::Scenario& scenario, std::size_t service, const Requests* requests);

  // Sets the rate and the serving from `now` on, and accounts for the time before.
  void Change(Instant now, double requests_per_s, const policy::Serving& serving);
  // Adds the slot that ends at `now` to the result.
  void EndSlot(Instant now);
  ServiceRun Finish() && { return std::move(run_); }

 private:
  void Close(Instant now);
  void CloseByRate(Seconds length);
  void CloseByTrace(Instant now);

  const scenario::Scenario& scenario_;
  const scenario::Service& service_;
  std::optional<RequestQueue> queue_;
  Instant since_;
  double requests_per_s_ = 0.0;
  policy::Serving serving_;
  double slot_requests_ = 0.0;
  double slot_violated_ = 0.0;
  Seconds slot_latency_{};      // the worst of the slot
  double slot_median_s_ = 0.0;  // of its longest span with one setting
  Seconds slot_longest_{};
  std::vector<float> slot_latencies_;  // with a trace only
  ServiceRun run_;
};

}  // namespace heliostat::sim
