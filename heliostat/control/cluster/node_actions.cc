#include "heliostat/control/cluster/node_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace heliostat::cluster {
namespace {

const ClusterNode* Find(const NodeSituation& situation, const std::string& name) {
  const auto found = std::find_if(situation.nodes.begin(), situation.nodes.end(),
                                  [&](const ClusterNode& node) { return node.name == name; });
  return found == situation.nodes.end() ? nullptr : &*found;
}

const Pin* FindPin(const NodeSituation& situation, const std::string& name) {
  const auto found =
      std::find_if(situation.pins.begin(), situation.pins.end(), [&](const Pin& pin) { return pin.name == name; });
  return found == situation.pins.end() ? nullptr : &*found;
}

template <typename Lists>
auto HolderOf(const Lists& lists, const std::string& node) {
  return std::find_if(lists.begin(), lists.end(), [&](const auto& list) {
    return std::find(list.nodes.begin(), list.nodes.end(), node) != list.nodes.end();
  });
}

// Why a node is none of our business.
std::optional<ActionResult> WhyUntouchable(const NodeSituation& situation, const std::string& name, Instant now) {
  const auto untouchable = [](std::string why) { return ActionResult{Outcome::kUntouchable, std::move(why)}; };
  const ClusterNode* const node = Find(situation, name);
  if (node == nullptr) return untouchable("there is no such node");
  if (node->is_draining) return untouchable("it is draining");
  if (node->is_in_maintenance) return untouchable("it is in maintenance");
  if (node->state == NodeState::kUnknown) return untouchable("its state is not known");
  for (const ForeignReservation& reservation : situation.reservations) {
    if (reservation.begin > now + kBeforeReservation) continue;
    if (std::find(reservation.nodes.begin(), reservation.nodes.end(), name) != reservation.nodes.end()) {
      return untouchable(fmt::format("it is reserved: {}", Printable(reservation.name, 60)));
    }
  }
  const bool is_pinned = HolderOf(situation.pins, name) != situation.pins.end();
  if (node->is_reserved && !is_pinned) return untouchable("it is reserved");
  return {};
}

bool SleepsSoon(const ClusterNode& node) {
  return node.state == NodeState::kAsleep || node.state == NodeState::kPoweringDown;
}

bool WakesSoon(const ClusterNode& node) {
  return node.state == NodeState::kWaking || node.state == NodeState::kIdle || node.state == NodeState::kMixed ||
         node.state == NodeState::kAllocated;
}

// Nothing for a node to which the order is to be sent.
std::optional<ActionResult> Judge(const NodeSituation& situation, const std::string& name, Instant now, bool is_up) {
  if (auto why = WhyUntouchable(situation, name, now)) return why;
  const ClusterNode& node = *Find(situation, name);
  // Slurm would carry a second order to sleep out again.
  if (is_up ? WakesSoon(node) : SleepsSoon(node)) return ActionResult{Outcome::kAlreadySo, ""};
  // Slurm forgets an order to wake a node that is still falling asleep.
  const bool may = is_up ? node.state == NodeState::kAsleep : node.state == NodeState::kIdle && node.is_responding;
  if (!may) return ActionResult{Outcome::kWrongState, fmt::format("it is {}", NameOf(node.state))};
  return {};
}

ActionResult Failed(const Said& said, MissingRights& missing, Right right) {
  if (!said.is_answered) return {Outcome::kNotKnown, said.words};
  if (!said.lacks_right) return {Outcome::kRefused, said.words};
  missing.Add(right, said.words);
  return {Outcome::kNoRight, said.words};
}

bool IsName(const std::string& name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !name.empty() && name.size() <= kLongestPinName && name.find_first_not_of(kAllowed) == std::string::npos;
}

std::optional<ActionResult> WhyNoPin(const NodeSituation& situation, const Pin& pin, Instant now) {
  if (pin.nodes.empty()) return ActionResult{Outcome::kRefused, "the pin has no nodes"};
  for (const std::string& name : pin.nodes) {
    if (auto why = WhyUntouchable(situation, name, now)) {
      why->why = fmt::format("node {}: {}", Printable(name, 60), why->why);
      return why;
    }
    const auto holder = HolderOf(situation.pins, name);
    if (holder != situation.pins.end()) {
      return ActionResult{Outcome::kRefused, fmt::format("node {}: has the pin {}", name, holder->name)};
    }
    const ClusterNode& node = *Find(situation, name);
    if (!SleepsSoon(node)) {
      return ActionResult{Outcome::kWrongState, fmt::format("node {}: it is {}", name, NameOf(node.state))};
    }
  }
  return {};
}

}  // namespace

std::vector<ActionResult> NodeActions::Power(const std::vector<std::string>& names, bool is_up) {
  std::vector<ActionResult> results(names.size());
  const auto all = [&](const ActionResult& result) {
    std::fill(results.begin(), results.end(), result);
    return results;
  };
  if (missing_.Has(Right::kNodes)) return all({Outcome::kNoRight, "refused before"});
  const auto before = mechanism_.Nodes();
  if (!before) return all({Outcome::kNotSent, before.error().Line()});
  std::set<std::string> sent;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto decided = Judge(*before, names[i], clock_.Now(), is_up))
      results[i] = *decided;
    else
      sent.insert(names[i]);
  }
  if (sent.empty()) return results;
  const Said said = mechanism_.SendPower({sent.begin(), sent.end()}, is_up);
  const auto after = mechanism_.Nodes();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!sent.contains(names[i])) continue;
    const ClusterNode* const node = after ? Find(*after, names[i]) : nullptr;
    if (node == nullptr) {
      results[i] = {Outcome::kNotKnown, after ? "the node is gone" : after.error().Line()};
    } else if (is_up ? WakesSoon(*node) : SleepsSoon(*node)) {
      results[i] = {Outcome::kDone, ""};
    } else if (said.is_answered && said.words.empty()) {
      // A job came first: the order to sleep waits for its end.
      results[i] = {Outcome::kNotKnown, fmt::format("it is {}", NameOf(node->state))};
    } else {
      results[i] = Failed(said, missing_, Right::kNodes);
    }
  }
  return results;
}

ActionResult NodeActions::SetPin(const Pin& pin) {
  if (!IsName(pin.name)) {
    return {Outcome::kRefused, fmt::format("the pin's name is '{}'; up to {} letters, digits and \"_\"",
                                           Printable(pin.name, 60), kLongestPinName)};
  }
  const Instant now = clock_.Now();
  if (pin.until <= now) return {Outcome::kRefused, "the pin's end has passed"};
  if (missing_.Has(Right::kReservations)) return {Outcome::kNoRight, "refused before"};
  const auto before = mechanism_.Nodes();
  if (!before) return {Outcome::kNotSent, before.error().Line()};
  const Pin* const old = FindPin(*before, pin.name);
  if (old == nullptr) {
    if (const auto why = WhyNoPin(*before, pin, now)) return *why;
  } else {
    const std::set<std::string> nodes(old->nodes.begin(), old->nodes.end());
    if (nodes != std::set<std::string>(pin.nodes.begin(), pin.nodes.end())) {
      return {Outcome::kRefused, "a pin of this name has other nodes"};
    }
    if (old->until == pin.until) return {Outcome::kAlreadySo, ""};
  }
  const Said said = mechanism_.SendPin(pin, old == nullptr);
  const auto after = mechanism_.Nodes();
  if (!after) return {Outcome::kNotKnown, after.error().Line()};
  const Pin* const made = FindPin(*after, pin.name);
  if (made != nullptr && made->until == pin.until) return {Outcome::kDone, ""};
  return Failed(said, missing_, Right::kReservations);
}

ActionResult NodeActions::RemovePin(const std::string& name) {
  const auto before = mechanism_.Nodes();
  if (!before) return {Outcome::kNotSent, before.error().Line()};
  if (FindPin(*before, name) == nullptr) return {Outcome::kAlreadySo, ""};
  if (missing_.Has(Right::kReservations)) return {Outcome::kNoRight, "refused before"};
  const Said said = mechanism_.SendUnpin(name);
  const auto after = mechanism_.Nodes();
  if (!after) return {Outcome::kNotKnown, after.error().Line()};
  if (FindPin(*after, name) == nullptr) return {Outcome::kDone, ""};
  return Failed(said, missing_, Right::kReservations);
}

}  // namespace heliostat::cluster
