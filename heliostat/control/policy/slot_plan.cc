#include "heliostat/control/policy/slot_plan.h"

#include <algorithm>
#include <utility>

#include "heliostat/model/serving/options.h"

namespace heliostat::policy {
namespace {

// The option with the least power that keeps the latency at the present rate, in the group `home` if one exists there.
// Returns `otherwise` when no option keeps it.
Serving LeastPower(const Observation& observation, const ServiceState& state, std::size_t home,
                   const Serving& otherwise) {
  scenario::Service now = state.asked;
  now.requests_per_s = {state.requests_per_s};
  const auto rank = [home](const serving::ServingOption& option) {
    return std::pair(option.group != home, option.power);
  };
  const auto options = serving::OptionsFor(*observation.site, now, 0, false);
  const auto best = std::min_element(
      options.begin(), options.end(),
      [&](const serving::ServingOption& a, const serving::ServingOption& b) { return rank(a) < rank(b); });
  return best == options.end() ? otherwise : Serving{best->group, best->point, best->replicas};
}

// Nodes that must be on for the GPUs in use and `more` GPUs. Work takes free GPUs of nodes in use first, then of other
// nodes that are up.
int NodesFor(const GroupState& state, int gpus_per_node, int more) {
  const auto nodes_for = [&](int gpus) { return gpus > 0 ? (gpus + gpus_per_node - 1) / gpus_per_node : 0; };
  const int beyond_up = more - state.gpus_free();
  if (beyond_up > 0) return state.up + nodes_for(beyond_up);
  const int free_in_use = state.nodes_in_use * gpus_per_node - state.gpus_in_use;
  return std::min(state.up, state.nodes_in_use + nodes_for(more - free_in_use));
}

}  // namespace

void SlotPlan::Adopt(const Observation& observation, const Lookahead& lookahead, const plan::Plan& plan) {
  first_slot_ = observation.slot;
  nodes_on_ = plan.nodes_on;
  services_.assign(observation.services.size(), {});
  for (std::size_t s = 0; s < services_.size(); ++s) {
    const std::vector<double>& rates = lookahead.scenario().services[s].requests_per_s;
    for (const plan::ServiceSlot& slot : plan.services[s].slots) {
      services_[s].push_back({lookahead.ServingOf(s, slot), rates[services_[s].size()]});
    }
  }
}

void SlotPlan::KeepAllOn(const Observation& observation) {
  first_slot_ = observation.slot;
  services_.clear();
  nodes_on_.clear();
  for (const GroupState& group : observation.groups) nodes_on_.push_back({group.nodes()});
}

bool SlotPlan::Covers(std::size_t slot) const {
  return !nodes_on_.empty() && slot < first_slot_ + nodes_on_.front().size();
}

bool SlotPlan::LacksNodes(const Observation& observation) const {
  const std::size_t at = observation.slot - first_slot_;
  for (std::size_t g = 0; g < std::min(nodes_on_.size(), observation.groups.size()); ++g) {
    if (at < nodes_on_[g].size() && nodes_on_[g][at] > observation.groups[g].nodes()) return true;
  }
  return false;
}

const SlotPlan::Planned* SlotPlan::PlannedFor(std::size_t service, std::size_t slot) const {
  const std::size_t at = slot - first_slot_;
  if (service >= services_.size() || at >= services_[service].size()) return nullptr;
  return &services_[service][at];
}

void SlotPlan::OrderServices(const Observation& observation, Decision& decision) const {
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    const ServiceState& state = observation.services[s];
    const Planned* planned = PlannedFor(s, observation.slot);
    if (planned != nullptr && planned->requests_per_s == state.requests_per_s) {
      if (planned->serving != state.serving) {
        decision.services.push_back({s, planned->serving, {Reason::Kind::kPlan}});
      }
      continue;
    }
    if (!observation.slot_begins && state.serving.replicas > 0) continue;
    const Serving& meant = planned != nullptr ? planned->serving : state.serving;
    const Serving best = LeastPower(observation, state, meant.group, meant);
    if (best != state.serving) decision.services.push_back({s, best, {Reason::Kind::kLoad}});
  }
}

std::vector<int> SlotPlan::NodesOn(const Observation& observation, const std::vector<int>& missing) const {
  std::vector<int> nodes;
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    const GroupState& state = observation.groups[g];
    const scenario::Group& group = observation.site->groups[g];
    int wanted = 0;
    const Instant until = observation.now + group.wake_time;
    for (std::size_t i = observation.slot - first_slot_; i < (nodes_on_.empty() ? 0 : nodes_on_[g].size()); ++i) {
      if (observation.site->SlotSpan(first_slot_ + i).begin > until) break;
      wanted = std::max(wanted, nodes_on_[g][i]);
    }
    nodes.push_back(std::max(wanted, NodesFor(state, group.gpus_per_node, missing[g])));
  }
  return nodes;
}

std::optional<Instant> SlotPlan::NextWake(const Observation& observation) const {
  std::optional<Instant> next;
  for (std::size_t g = 0; g < nodes_on_.size(); ++g) {
    for (std::size_t i = observation.slot - first_slot_; i + 1 < nodes_on_[g].size(); ++i) {
      if (nodes_on_[g][i + 1] <= nodes_on_[g][i]) continue;
      const Instant wake =
          observation.site->SlotSpan(first_slot_ + i + 1).begin - observation.site->groups[g].wake_time;
      if (wake > observation.now && (!next || wake < *next)) next = wake;
    }
  }
  return next;
}

}  // namespace heliostat::policy
