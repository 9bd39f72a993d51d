#include "heliostat/control/sim/service_queue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/model/serving/latency.h"

namespace heliostat::sim {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Quantile(const std::vector<float>& sorted, double share) {
  if (sorted.empty()) return kNaN;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::min(sorted.size() - 1, rank == 0 ? 0 : rank - 1)];
}

}  // namespace

ServiceQueue::ServiceQueue(const scenario::Scenario& scenario, std::size_t service, const Requests* requests)
    : scenario_(scenario), service_(scenario.services[service]), since_(scenario.start) {
  if (requests != nullptr) queue_.emplace(*requests);
  run_.slots.reserve(scenario.slots);
  run_.p50_s.reserve(scenario.slots);
}

void ServiceQueue::Change(Instant now, double requests_per_s, const policy::Serving& serving) {
  if (requests_per_s == requests_per_s_ && serving == serving_) return;
  Close(now);
  requests_per_s_ = requests_per_s;
  serving_ = serving;
}

void ServiceQueue::Close(Instant now) {
  const Seconds length(now - since_);
  if (length.count() <= 0.0) return;
  if (queue_) {
    CloseByTrace(now);
  } else {
    CloseByRate(length);
  }
  since_ = now;
}

void ServiceQueue::CloseByRate(Seconds length) {
  const double requests = requests_per_s_ * length.count();
  slot_requests_ += requests;
  if (requests <= 0.0) return;
  Seconds latency{std::numeric_limits<double>::infinity()};
  double median = kNaN;
  if (serving_.replicas > 0) {
    const auto& point = scenario_.inference.Of(service_.model, scenario_.groups[serving_.group].gpu)[serving_.point];
    const serving::Load load{requests_per_s_, point.batch, serving_.replicas, point.latency};
    latency = serving::LatencyPercentile(load, service_.percentile);
    median = serving::LatencyPercentile(load, 0.5).count();
  }
  // An excess within rounding is not a violation.
  if (latency > service_.latency_slo * (1.0 + 1e-9)) slot_violated_ += requests;
  slot_latency_ = std::max(slot_latency_, latency);
  if (length >= slot_longest_) {
    slot_longest_ = length;
    slot_median_s_ = median;
  }
}

void ServiceQueue::CloseByTrace(Instant now) {
  RequestQueue::Setting setting;
  if (serving_.replicas > 0) {
    const auto& point = scenario_.inference.Of(service_.model, scenario_.groups[serving_.group].gpu)[serving_.point];
    setting = {point.batch, serving_.replicas, point.latency};
  }
  const auto served = queue_->Serve(Seconds(now - scenario_.start).count(), setting);
  slot_requests_ += served.arrived;
  slot_latencies_.insert(slot_latencies_.end(), served.latencies_s.begin(), served.latencies_s.end());
}

void ServiceQueue::EndSlot(Instant now) {
  Close(now);
  if (queue_) {
    std::sort(slot_latencies_.begin(), slot_latencies_.end());
    const double worst = Quantile(slot_latencies_, service_.percentile);
    slot_latency_ = Seconds{std::isnan(worst) ? 0.0 : worst};
    // Requests whose service has not begun have no latency here. If none has begun, all are violations.
    const bool stuck = slot_latencies_.empty() && slot_requests_ > 0.0;
    if (stuck) slot_latency_ = Seconds{std::numeric_limits<double>::infinity()};
    slot_violated_ = slot_latency_ > service_.latency_slo ? slot_requests_ : 0.0;
    slot_median_s_ = Quantile(slot_latencies_, 0.5);
    slot_latencies_.clear();
  }
  plan::ServiceSlot slot{serving_.group, serving_.point, serving_.replicas, 0.0, slot_latency_};
  if (serving_.replicas > 0) {
    const auto& point = scenario_.inference.Of(service_.model, scenario_.groups[serving_.group].gpu)[serving_.point];
    slot.utilisation = std::min(1.0, requests_per_s_ / (serving_.replicas * point.requests_per_s));
  }
  run_.slots.push_back(slot);
  run_.p50_s.push_back(slot_requests_ > 0.0 ? slot_median_s_ : kNaN);
  run_.requests += slot_requests_;
  run_.violated += slot_violated_;
  slot_requests_ = slot_violated_ = 0.0;
  slot_latency_ = slot_longest_ = Seconds{};
  slot_median_s_ = kNaN;
}

}  // namespace heliostat::sim
