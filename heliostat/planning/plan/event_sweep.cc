#include "heliostat/planning/plan/event_sweep.h"

#include <algorithm>

#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {
namespace {

struct Event {
  Instant at;
  int gpus;  // more in use from now on; negative: fewer
  Watts power;
};

void AddUse(std::vector<Event>& events, const Interval& span, int gpus, Watts power) {
  if (span.empty()) return;
  events.push_back({span.begin, gpus, power});
  events.push_back({span.end, -gpus, -power});
}

std::vector<std::vector<Event>> EventsOf(const scenario::Scenario& scenario, const Plan& plan) {
  std::vector<std::vector<Event>> events(scenario.groups.size());
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
    if (plan.jobs[job].segments.empty()) continue;
    const TrainingTable table(scenario, scenario.jobs[job].model);
    for (const Segment& segment : plan.jobs[job].segments) {
      const scenario::TrainingPoint& point = table.At(segment);
      AddUse(events[segment.group], segment.span.Intersect(scenario.horizon()), point.workers, point.power);
    }
  }
  for (std::size_t service = 0; service < plan.services.size(); ++service) {
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      const ServiceSlot& how = plan.services[service].slots[slot];
      if (how.replicas == 0) continue;
      const scenario::Group& group = scenario.groups[how.group];
      const auto& point = scenario.inference.Of(scenario.services[service].model, group.gpu)[how.point];
      const Watts each = account::ServingPower(group.gpu_idle, point.power, how.utilisation);
      AddUse(events[how.group], scenario.SlotSpan(slot), how.replicas, each * how.replicas);
    }
  }
  for (std::vector<Event>& of_group : events) {
    std::sort(of_group.begin(), of_group.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  }
  return events;
}

void AddNodes(const scenario::Scenario& scenario, std::size_t group, const std::vector<int>& on,
              std::vector<SlotUse>& uses) {
  int before = scenario.UpBefore(group);
  for (std::size_t slot = 0; slot < uses.size(); ++slot) {
    const Seconds step(scenario.step);
    uses[slot].use.nodes_on = on[slot] * step;
    uses[slot].use.nodes_off = (scenario.groups[group].nodes - on[slot]) * step;
    uses[slot].use.wake_ups = on[slot] > before ? on[slot] - before : 0;
    before = on[slot];
  }
}

std::vector<SlotUse> Sweep(const scenario::Scenario& scenario, const std::vector<Event>& events) {
  std::vector<SlotUse> uses(scenario.slots);
  int gpus = 0;
  Watts power;
  std::size_t next = 0;
  Instant now = scenario.start;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    SlotUse& use = uses[slot];
    use.most_at = now;
    const Instant slot_end = scenario.SlotSpan(slot).end;
    while (now < slot_end) {
      for (; next < events.size() && events[next].at <= now; ++next) {
        gpus += events[next].gpus;
        power += events[next].power;
      }
      if (gpus > use.most_gpus) {
        use.most_gpus = gpus;
        use.most_at = now;
      }
      const Instant until = next < events.size() ? std::min(slot_end, events[next].at) : slot_end;
      use.use.busy_gpus += Seconds(until - now) * gpus;
      use.use.running += power * Seconds(until - now);
      now = until;
    }
  }
  return uses;
}

}  // namespace

std::vector<std::vector<SlotUse>> SweepEvents(const scenario::Scenario& scenario, const Plan& plan) {
  const std::vector<std::vector<Event>> events = EventsOf(scenario, plan);
  std::vector<std::vector<SlotUse>> uses;
  for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
    uses.push_back(Sweep(scenario, events[group]));
    AddNodes(scenario, group, plan.nodes_on[group], uses.back());
  }
  return uses;
}

}  // namespace heliostat::plan
