#pragma once

#include <optional>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/requests.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// What one service's requests go through: with rates, by the queue's exact law; with a trace, one by one.
class ServiceQueue {
 public:
  ServiceQueue(const scenario::Scenario& scenario, std::size_t service, const Requests* requests);

  // From here on the service runs so. Closes what went before.
  void Change(Instant now, double requests_per_s, const policy::Serving& serving);
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
  double slot_median_s_ = 0.0;  // of its longest stretch
  Seconds slot_longest_{};
  std::vector<float> slot_latencies_;  // of a trace
  ServiceRun run_;
};

}  // namespace heliostat::sim
