#include "heliostat/control/cluster/testing/fake_mechanism.h"

#include <algorithm>

namespace heliostat::cluster::testing {
namespace {

Said Denied(const std::string& words) { return {.lacks_right = true, .words = words}; }

bool Obey(JobRecord& record, Signal signal, Instant now) {
  switch (signal) {
    case Signal::kSuspend:
      if (record.state != JobState::kRunning && record.state != JobState::kSuspended) return false;
      record.state = JobState::kSuspended;
      return true;
    case Signal::kResume:
      if (record.state != JobState::kSuspended) return false;
      record.state = JobState::kRunning;
      return true;
    case Signal::kRequeue:
      if (!record.may_requeue || record.is_waiting()) return false;
      record.state = JobState::kWaiting;
      record.key.submit = now;
      record.begin = now + Duration(6);
      ++record.restarts;
      return true;
  }
  return false;
}

}  // namespace

Result<std::vector<JobRecord>> FakeMechanism::Records(const std::vector<std::int64_t>& numbers) {
  if (is_silent) return tl::unexpected<Error>(Silence());
  std::vector<JobRecord> found;
  for (const JobRecord& record : records) {
    if (std::binary_search(numbers.begin(), numbers.end(), record.key.number)) found.push_back(record);
  }
  return found;
}

JobRecord* FakeMechanism::Address(std::int64_t number, std::optional<int> element) {
  for (JobRecord& record : records) {
    if (record.key.number != number) continue;
    if (!element || record.key.element == element) return &record;
    if (!record.Has(*element)) continue;
    if (record.elements.size() == 1) return &record;
    JobRecord single = record;
    std::erase(record.elements, *element);
    if (record.elements.size() == 1) record.throttle.reset();
    single.elements.clear();
    single.throttle.reset();
    single.key.element = element;
    records.push_back(std::move(single));
    return &records.back();
  }
  return nullptr;
}

Said FakeMechanism::Apply(JobRecord& record, const RecordChange& change) {
  if (!rights.jobs.value_or(true)) return Denied("Access/permission denied");
  if (change.nice && *change.nice < 0 && !rights.negative_nice.value_or(true))
    return Denied("Access/permission denied");
  if ((change.begin || change.throttle) && !record.is_waiting()) return {.words = "Job is no longer pending execution"};
  if (change.admin_comment) record.admin_comment = *change.admin_comment;
  if (change.begin) record.begin = std::max(change.begin->at.value_or(clock_.Now()), clock_.Now());
  if (change.nice) record.nice = *change.nice;
  if (change.throttle && record.throttle) record.throttle = change.throttle;
  if (change.signal && !Obey(record, *change.signal, clock_.Now())) return {.words = "Requested operation is disabled"};
  return {};
}

std::vector<Said> FakeMechanism::Send(const std::vector<RecordOrder>& orders) {
  std::vector<Said> said(orders.size());
  if (before_send) before_send();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (is_silent || are_orders_lost) {
      said[i] = {false, false, "does not end"};
      continue;
    }
    const RecordOrder& order = orders[i];
    JobRecord* const record =
        Address(order.record.key.number, order.element ? order.element : order.record.key.element);
    said[i] = record != nullptr ? Apply(*record, order.change) : Said{.words = "Invalid job id specified"};
  }
  return said;
}

Result<NodeSituation> FakeMechanism::Nodes() {
  if (is_silent) return tl::unexpected<Error>(Silence());
  return nodes;
}

Said FakeMechanism::SendPower(const std::vector<std::string>& names, bool is_up) {
  if (is_silent || are_orders_lost) return {false, false, "does not end"};
  if (!rights.nodes.value_or(true)) return Denied("Invalid user id");
  for (ClusterNode& node : nodes.nodes) {
    if (std::find(names.begin(), names.end(), node.name) == names.end()) continue;
    node.state = is_up ? NodeState::kWaking : NodeState::kPoweringDown;
  }
  return {};
}

Said FakeMechanism::SendPin(const Pin& pin, bool is_new) {
  if (is_silent || are_orders_lost) return {false, false, "does not end"};
  if (!rights.reservations.value_or(true)) return Denied("Invalid user id");
  if (!is_new) std::erase_if(nodes.pins, [&](const Pin& old) { return old.name == pin.name; });
  nodes.pins.push_back(pin);
  return {};
}

Said FakeMechanism::SendUnpin(const std::string& name) {
  if (is_silent || are_orders_lost) return {false, false, "does not end"};
  if (!rights.reservations.value_or(true)) return Denied("Invalid user id");
  std::erase_if(nodes.pins, [&](const Pin& pin) { return pin.name == name; });
  return {};
}

}  // namespace heliostat::cluster::testing
