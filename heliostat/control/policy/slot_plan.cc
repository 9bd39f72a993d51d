#include "heliostat/control/policy/slot_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "heliostat/model/serving/options.h"

namespace heliostat::policy {
namespace {

std::vector<serving::ServingOption> OptionsNow(const Observation& observation, const ServiceState& state) {
  scenario::Service now = state.asked;
  now.requests_per_s = {state.requests_per_s};
  return serving::OptionsFor(*observation.site, now, 0, false);
}

// Whether the service keeps its latency as it is served, at the present rate.
bool KeepsLatency(const Observation& observation, const ServiceState& state) {
  const auto options = OptionsNow(observation, state);
  return std::any_of(options.begin(), options.end(), [&](const serving::ServingOption& option) {
    return option.group == state.serving.group && option.point == state.serving.point &&
           option.replicas <= state.serving.replicas;
  });
}

// [group]: GPUs that are up and free once jobs have given up those that the decision takes from them. A job with
// another number of workers gives up all of them first.
std::vector<int> FreeAfterStops(const Observation& observation, ChoiceTable& book, const Decision& decision) {
  std::vector<int> free;
  for (const GroupState& group : observation.groups) free.push_back(group.gpus_free());
  for (const JobOrder& order : decision.jobs) {
    const JobState& job = observation.jobs[order.job];
    if (!HoldsGpus(job.phase)) continue;
    const Choices& choices = book.Of(job.asked);
    const int workers = choices.At(job.setting).workers;
    const bool goes_on =
        order.setting && order.setting->group == job.setting.group && choices.At(*order.setting).workers == workers;
    if (!goes_on) free[job.setting.group] += workers;
  }
  return free;
}

// Whether the service could have as many replicas there at once.
bool IsAtHand(const ServiceState& state, std::size_t group, int replicas, const std::vector<int>& free) {
  return replicas <= free[group] + (group == state.serving.group ? state.serving.replicas : 0);
}

// The option with the least power that keeps the latency at the present rate: one whose GPUs are at hand if there is
// any, because a node takes minutes to wake, and in the group of `otherwise` if one exists there. Returns `otherwise`
// when no option keeps it.
Serving LeastPower(const Observation& observation, const ServiceState& state, const std::vector<int>& free,
                   const Serving& otherwise) {
  const auto rank = [&](const serving::ServingOption& option) {
    return std::tuple(!IsAtHand(state, option.group, option.replicas, free), option.group != otherwise.group,
                      option.power);
  };
  const auto options = OptionsNow(observation, state);
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

// What jobs and services hold in a group once orders are carried out.
struct GroupNeed {
  int gpus = 0;
  int named_gpus = 0;   // of them, those on `nodes`
  std::set<int> nodes;  // with jobs whose place is known
};

std::vector<GroupNeed> NeedsAfter(const Observation& observation, ChoiceTable& book, const Decision& decision) {
  std::vector<GroupNeed> needs(observation.groups.size());
  const auto add = [&](std::size_t group, int gpus, const std::vector<NodeShare>& nodes) {
    needs[group].gpus += gpus;
    for (const NodeShare& share : nodes) {
      needs[group].nodes.insert(share.node);
      needs[group].named_gpus += share.gpus;
    }
  };
  std::map<JobId, const JobOrder*> orders;
  for (const JobOrder& order : decision.jobs) orders[order.job] = &order;
  for (const auto& [id, job] : observation.jobs) {
    const auto found = orders.find(id);
    const bool holds = HoldsGpus(job.phase);
    if (found == orders.end() && !holds) continue;
    const Choices& choices = book.Of(job.asked);
    const int now = holds ? choices.At(job.setting).workers : 0;
    if (found == orders.end()) {
      add(job.setting.group, now, job.nodes);
    } else if (found->second->setting) {
      const RunSetting& then = *found->second->setting;
      const int workers = choices.At(then).workers;
      add(then.group, workers, holds && now == workers ? job.nodes : found->second->nodes);
    }
  }
  std::vector<Serving> servings;
  for (const ServiceState& service : observation.services) servings.push_back(service.serving);
  for (const ServiceOrder& order : decision.services) servings[order.service] = order.serving;
  for (const Serving& serving : servings) needs[serving.group].gpus += serving.replicas;
  return needs;
}

}  // namespace

void SlotPlan::Adopt(const Observation& observation, const Lookahead& lookahead, const plan::Plan& plan) {
  first_slot_ = observation.slot;
  is_certain_ = observation.outlook.Ahead().is_certain;
  nodes_on_ = plan.nodes_on;
  uses_ = lookahead.UsesOf(plan);
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
  uses_.clear();
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

void SlotPlan::OrderServices(const Observation& observation, ChoiceTable& book, Decision& decision) const {
  const std::vector<int> free = FreeAfterStops(observation, book, decision);
  for (std::size_t s = 0; s < observation.services.size(); ++s) {
    const ServiceState& state = observation.services[s];
    const Planned* planned = PlannedFor(s, observation.slot);
    const bool as_expected = planned != nullptr && planned->requests_per_s == state.requests_per_s;
    if (as_expected && planned->serving == state.serving) continue;
    if (as_expected && (is_certain_ || IsAtHand(state, planned->serving.group, planned->serving.replicas, free))) {
      decision.services.push_back({s, planned->serving, {Reason::Kind::kPlan}});
      continue;
    }
    // Until the planned GPUs are up, the service stays as it is if that is enough.
    if (as_expected && KeepsLatency(observation, state)) continue;
    if (!as_expected && !observation.slot_begins && state.serving.replicas > 0) continue;
    const Serving best = LeastPower(observation, state, free, planned != nullptr ? planned->serving : state.serving);
    if (best != state.serving) decision.services.push_back({s, best, {Reason::Kind::kLoad}});
  }
}

std::vector<int> SlotPlan::PlannedOn(const Observation& observation) const {
  std::vector<int> planned(observation.groups.size(), 0);
  for (std::size_t g = 0; g < nodes_on_.size(); ++g) {
    const Instant until = observation.now + observation.site->groups[g].wake_time;
    for (std::size_t i = observation.slot - first_slot_; i < nodes_on_[g].size(); ++i) {
      if (observation.site->SlotSpan(first_slot_ + i).begin > until) break;
      planned[g] = std::max(planned[g], nodes_on_[g][i]);
    }
  }
  return planned;
}

Instant SlotPlan::NextUse(std::size_t group, std::size_t node, Instant now) const {
  if (group >= uses_.size() || node >= uses_[group].size()) return Instant::max();
  for (const Interval& use : uses_[group][node]) {
    if (use.end > now) return std::max(now, use.begin);
  }
  return Instant::max();
}

void SlotPlan::OrderNodes(const Observation& observation, ChoiceTable& book, Decision& decision) const {
  const std::vector<GroupNeed> needs = NeedsAfter(observation, book, decision);
  decision.nodes_on = PlannedOn(observation);
  for (std::size_t g = 0; g < needs.size(); ++g) {
    const GroupState& state = observation.groups[g];
    const int size = observation.site->groups[g].gpus_per_node;
    int& on = decision.nodes_on[g];
    if (!observation.capabilities.place) {
      on = std::max(on, NodesFor(state, size, needs[g].gpus - state.gpus_in_use));
      continue;
    }
    const int in_use = static_cast<int>(needs[g].nodes.size());
    const int elsewhere = needs[g].gpus - needs[g].named_gpus - (in_use * size - needs[g].named_gpus);
    on = std::clamp(in_use + std::max(0, (elsewhere + size - 1) / size), on, std::max(on, state.nodes()));
    using Rank = std::tuple<bool, Instant, NodeState, int>;
    std::vector<Rank> ranks;
    for (std::size_t n = 0; n < state.each.size(); ++n) {
      const int node = static_cast<int>(n);
      if (state.each[n] == NodeState::kFailed) continue;
      ranks.emplace_back(!needs[g].nodes.contains(node), NextUse(g, n, observation.now), state.each[n], node);
    }
    std::sort(ranks.begin(), ranks.end());
    on = std::min(on, static_cast<int>(ranks.size()));
    auto& up = decision.nodes_up.emplace_back();
    for (int i = 0; i < on; ++i) up.push_back(std::get<int>(ranks[static_cast<std::size_t>(i)]));
  }
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
