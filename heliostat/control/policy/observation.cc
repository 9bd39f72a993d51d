#include "heliostat/control/policy/observation.h"

#include <algorithm>

namespace heliostat::policy {

bool IsPending(const Observation& observation, JobId job) {
  const auto of_job = [job](const Receipt& receipt) { return receipt.job == job; };
  const auto last = std::find_if(observation.receipts.rbegin(), observation.receipts.rend(), of_job);
  return last != observation.receipts.rend() && last->status == Receipt::Status::kPending;
}

}  // namespace heliostat::policy
