#include "heliostat/planning/decomposition/draft_plan.h"

#include <algorithm>
#include <cmath>

namespace heliostat::decomposition {
namespace {

// The highest rent of a GPU-slot: kMostWorth times the cost, at the highest price, of the energy of one GPU and its
// share of a node.
constexpr double kMostWorth = 8.0;
constexpr double kTypicalGpuKw = 0.3;
constexpr double kLeastRent = 1e-12;  // the highest rent must be above 0
constexpr double kLeastKwh = 1e-6;    // a marginal price is computed over at least this energy
constexpr double kTolerance = 1e-9;

}  // namespace

DraftPlan::DraftPlan(const Model& model)
    : model_(model),
      schedules_(model.jobs.size()),
      use_(model.groups.size(), std::vector<GpuUse>(model.slots)),
      nodes_(model.groups.size(), std::vector<int>(model.slots, 0)),
      gpu_slots_(model.groups.size(), std::vector<double>(model.slots, 0.0)),
      work_kwh_(model.slots, 0.0),
      kwh_(model.slots, 0.0),
      slot_value_(model.slots, 0.0) {
  for (const auto& service : model.services) options_.emplace_back(service.size(), kNoOption);
  if (!model.right_sizing) {
    for (std::size_t g = 0; g < model.groups.size(); ++g) std::ranges::fill(nodes_[g], model.groups[g].nodes);
  }
  for (std::size_t t = 0; t < model.slots; ++t) Recount(t);
}

int DraftPlan::NodesBefore(std::size_t group, std::size_t slot) const {
  return slot > 0 ? nodes_[group][slot - 1] : model_.groups[group].up;
}

int DraftPlan::NodesFor(std::size_t group, int gpus) const {
  const GroupModel& facts = model_.groups[group];
  if (!model_.right_sizing) return facts.nodes;
  return (gpus + facts.gpus_per_node - 1) / facts.gpus_per_node;
}

void DraftPlan::Recount(std::size_t slot) {
  double kwh = work_kwh_[slot];
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const GroupModel& facts = model_.groups[g];
    const int on = nodes_[g][slot];
    const int woken = std::max(0, on - NodesBefore(g, slot));
    const double filled = model_.right_sizing ? gpu_slots_[g][slot] / facts.gpus_per_node : on;
    kwh += (whole_ * on + (1.0 - whole_) * filled) * facts.on_kwh;
    kwh += facts.nodes * facts.sleep_kwh + whole_ * woken * facts.wake_kwh;
  }
  kwh_[slot] = kwh;
  double value = SlotCost(slot, kwh);
  for (std::size_t g = 0; g < shortage_.size(); ++g) value += shortage_[g][slot].Cost(gpu_slots_[g][slot]);
  slot_value_[slot] = value;
}

void DraftPlan::Refresh(std::size_t group, std::size_t slot) {
  nodes_[group][slot] = NodesFor(group, use_[group][slot].peak());
  Recount(slot);
  if (slot + 1 < model_.slots) Recount(slot + 1);
}

// Recounts the slots of a schedule, and those after them because of wake-ups.
void DraftPlan::Refresh(std::size_t group, const Schedule& schedule) {
  for (const SlotPiece& piece : schedule.pieces) {
    nodes_[group][piece.slot] = NodesFor(group, use_[group][piece.slot].peak());
  }
  std::size_t next = 0;  // the first slot that is not recounted yet
  for (const SlotPiece& piece : schedule.pieces) {
    for (next = std::max(next, piece.slot); next <= piece.slot + 1 && next < model_.slots; ++next) Recount(next);
  }
}

void DraftPlan::Apply(std::size_t job, const Schedule& schedule, int sign) {
  const JobModel& facts = model_.jobs[job];
  if (schedule.pieces.empty()) return;
  const Choice& choice = facts.choices[schedule.choice];
  const double idle = model_.groups[choice.group].idle_watts;
  for (const SlotPiece& piece : schedule.pieces) {
    const WorkerLevel& level = choice.levels[piece.level];
    use_[choice.group][piece.slot].Add(piece.begin, piece.end, sign * level.workers, model_.step_s);
    const double gpu_seconds = static_cast<double>(level.workers) * (piece.end - piece.begin);
    gpu_slots_[choice.group][piece.slot] += sign * gpu_seconds / model_.step_s;
    const double joules = JoulesOf(level, piece) - idle * gpu_seconds;
    work_kwh_[piece.slot] += sign * joules * model_.kwh_per_joule;
  }
  Refresh(choice.group, schedule);
  worth_ += sign * WorthOf(facts, schedule, model_.step_s);
}

void DraftPlan::Put(std::size_t job, const Schedule& schedule) {
  Apply(job, schedule, 1);
  schedules_[job] = schedule;
}

void DraftPlan::Remove(std::size_t job) {
  Apply(job, schedules_[job], -1);
  schedules_[job] = {};
}

void DraftPlan::SetOption(std::size_t service, std::size_t slot, std::size_t option) {
  const auto apply = [&](std::size_t which, int sign) {
    if (which == kNoOption) return;
    const serving::ServingOption& way = model_.services[service][slot][which];
    const double idle = model_.groups[way.group].idle_watts;
    use_[way.group][slot].Add(0, model_.step_s, sign * way.replicas, model_.step_s);
    gpu_slots_[way.group][slot] += sign * way.replicas;
    work_kwh_[slot] += sign * (way.power.value - idle * way.replicas) * model_.step_s * model_.kwh_per_joule;
    Refresh(way.group, slot);
  };
  apply(options_[service][slot], -1);
  options_[service][slot] = option;
  apply(option, 1);
}

void DraftPlan::SetContent(const Content& content) {
  for (std::size_t j = 0; j < schedules_.size(); ++j) Remove(j);
  for (std::size_t s = 0; s < options_.size(); ++s) {
    for (std::size_t t = 0; t < options_[s].size(); ++t) SetOption(s, t, content.options[s][t]);
  }
  for (std::size_t j = 0; j < schedules_.size(); ++j) Put(j, content.schedules[j]);
}

double DraftPlan::Bend::Price(double x) const {
  if (high <= low) return x >= high ? top : 0.0;
  return top * std::clamp((x - low) / (high - low), 0.0, 1.0);
}

double DraftPlan::Bend::Cost(double x) const {
  const double beyond = top * std::max(0.0, x - high);
  if (high <= low) return beyond;
  const double over = std::clamp(x - low, 0.0, high - low);
  return 0.5 * top * over * over / (high - low) + beyond;
}

DraftPlan::Bend DraftPlan::BendAt(double x, double price, double top, double rise) {
  const double at = std::clamp(price / top, 0.0, 1.0);
  return {x - at * rise, x + (1.0 - at) * rise, top};
}

void DraftPlan::Smooth(const std::vector<double>& prices, const Rents* rents, double width, double whole) {
  whole_ = whole;
  SetBends(prices, rents, width);
  for (std::size_t t = 0; t < model_.slots; ++t) Recount(t);
}

void DraftPlan::SetBends(const std::vector<double>& prices, const Rents* rents, double width) {
  bends_.clear();
  shortage_.clear();
  overfull_ = 1.0;
  double dearest = 0.0;
  for (std::size_t t = 0; t < model_.slots && width > 0.0; ++t) {
    const SlotTariff& tariff = model_.tariffs[t];
    dearest = std::max(dearest, tariff.cheap + std::max(0.0, tariff.dear));
    Bend bend{tariff.free_kwh, tariff.free_kwh, tariff.dear};
    if (tariff.dear > 0.0 && tariff.free_kwh > 0.0) {
      bend = BendAt(tariff.free_kwh, prices[t] - tariff.cheap, tariff.dear, 2.0 * width * tariff.free_kwh);
    }
    bends_.push_back(bend);
  }
  if (rents == nullptr || width <= 0.0) return;
  overfull_ = 1.0 + width;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const GroupModel& facts = model_.groups[g];
    const double gpus = facts.nodes * static_cast<double>(facts.gpus_per_node);
    const double gpu_kwh = facts.on_kwh / facts.gpus_per_node + kTypicalGpuKw * model_.step_s / 3600.0;
    const double top = kMostWorth * dearest * gpu_kwh;
    auto& bends = shortage_.emplace_back();
    for (std::size_t t = 0; t < model_.slots; ++t) {
      bends.push_back(BendAt(gpus, (*rents)[g][t], std::max(top, kLeastRent), 2.0 * width * gpus));
    }
  }
}

double DraftPlan::SlotCost(std::size_t slot, double kwh) const {
  const SlotTariff& tariff = model_.tariffs[slot];
  return bends_.empty() ? tariff.Cost(kwh) : tariff.cheap * kwh + bends_[slot].Cost(kwh);
}

DraftPlan::Rents DraftPlan::Shortage() const {
  Rents rents(model_.groups.size(), std::vector<double>(model_.slots, 0.0));
  for (std::size_t g = 0; g < shortage_.size(); ++g) {
    for (std::size_t t = 0; t < model_.slots; ++t) rents[g][t] = shortage_[g][t].Price(gpu_slots_[g][t]);
  }
  return rents;
}

std::vector<double> DraftPlan::EnergyPrices() const {
  std::vector<double> prices;
  for (std::size_t t = 0; t < model_.slots; ++t) {
    const SlotTariff& tariff = model_.tariffs[t];
    const double share = bends_.empty() ? (kwh_[t] >= tariff.free_kwh ? tariff.dear : 0.0) : bends_[t].Price(kwh_[t]);
    prices.push_back(tariff.cheap + share);
  }
  return prices;
}

double DraftPlan::Value() const {
  double value = -model_.performance_weight * (worth_ + model_.certain_worth);
  for (const double slot : slot_value_) value += slot;
  if (model_.performance_weight == 0.0) return value;
  for (std::size_t s = 0; s < options_.size(); ++s) {
    for (std::size_t t = 0; t < options_[s].size(); ++t) {
      if (options_[s][t] == kNoOption) continue;
      value += ServiceCost(s, t, options_[s][t]);
    }
  }
  return value;
}

double DraftPlan::ServiceCost(std::size_t service, std::size_t slot, std::size_t option) const {
  const double worth = model_.service_worth[service][slot];
  if (worth == 0.0 || model_.performance_weight == 0.0) return 0.0;
  const double used = model_.services[service][slot][option].latency.count() / model_.latency_slo_s[service];
  return -model_.performance_weight * worth * (1.0 - used);
}

bool DraftPlan::Fits() const {
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const int gpus = model_.groups[g].nodes * model_.groups[g].gpus_per_node;
    for (std::size_t t = 0; t < model_.slots; ++t) {
      if (use_[g][t].peak() > gpus) return false;
    }
  }
  for (std::size_t t = 0; t < model_.slots; ++t) {
    if (kwh_[t] > model_.tariffs[t].cap_kwh * (1.0 + kTolerance)) return false;
  }
  return true;
}

double DraftPlan::MarginalPrice(std::size_t slot, double more_kwh) const {
  const double more = std::max(more_kwh, kLeastKwh);
  return (SlotCost(slot, kwh_[slot] + more) - SlotCost(slot, kwh_[slot])) / more;
}

// The cost of `more` nodes on in this slot only, including the wake-ups that they cause or avoid.
double DraftPlan::NodeCost(std::size_t group, std::size_t slot, int more) const {
  const GroupModel& facts = model_.groups[group];
  const int on = nodes_[group][slot];
  double kwh = whole_ * more * facts.on_kwh;
  const int before = NodesBefore(group, slot);
  kwh += whole_ * facts.wake_kwh * (std::max(0, on + more - before) - std::max(0, on - before));
  double cost = SlotCost(slot, kwh_[slot] + kwh) - SlotCost(slot, kwh_[slot]);
  if (slot + 1 < model_.slots) {
    const int after = nodes_[group][slot + 1];
    const double spared = whole_ * facts.wake_kwh * (std::max(0, after - on) - std::max(0, after - on - more));
    cost -= SlotCost(slot + 1, kwh_[slot + 1]) - SlotCost(slot + 1, kwh_[slot + 1] - spared);
  }
  return cost;
}

// The seconds of a slot in which at most `free` GPUs of a group are in use.
void DraftPlan::OfferTime(const GpuUse& use, const SlotWindow& window, int peak, int free, Offer& offer) const {
  const int all = window.end - window.begin;
  offer.full = peak <= free ? all : 0;
  offer.first = offer.last = offer.single = offer.full;
  offer.single_begin = window.begin;
  if (offer.full == 0 && free >= 0 && !use.is_even()) {
    offer.first = use.Suffix(window.begin, window.end, free);
    offer.last = use.Prefix(window.begin, window.end, free);
    offer.single = use.Longest(window.begin, window.end, free, offer.single_begin);
  }
  if (window.end != model_.step_s) offer.first = 0;
}

// The rent of a GPU-second for a job with this number of workers, at this price of energy.
double DraftPlan::RentOf(std::size_t group, std::size_t slot, int workers, double price, const Rents* rents) const {
  const GroupModel& facts = model_.groups[group];
  double rent = -price * model_.kwh_per_joule * facts.idle_watts;
  if (rents != nullptr) rent += (*rents)[group][slot];
  if (model_.right_sizing && whole_ < 1.0) {
    rent += (1.0 - whole_) * price * facts.on_kwh / (facts.gpus_per_node * static_cast<double>(model_.step_s));
  }
  if (shortage_.empty()) return rent;
  const Bend& bend = shortage_[group][slot];
  const double in_use = gpu_slots_[group][slot];
  return rent + (bend.Cost(in_use + workers) - bend.Cost(in_use)) / (workers * model_.step_s);
}

void DraftPlan::OffersFor(const JobModel& job, const Choice& choice, const Rents* rents, Offers& offers) const {
  const std::size_t levels = choice.levels.size();
  const GroupModel& facts = model_.groups[choice.group];
  const int all = static_cast<int>(overfull_ * facts.nodes * facts.gpus_per_node);
  const int most_nodes = shortage_.empty() ? facts.nodes : all / facts.gpus_per_node;
  const double slot_joules = model_.step_s * model_.kwh_per_joule;
  offers.ways = 2;
  offers.same_for_levels = false;
  offers.offers.resize(job.slot_count * levels * 2);
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    const std::size_t slot = job.first_slot + t;
    const GpuUse& use = use_[choice.group][slot];
    const SlotWindow window = WindowIn(job, t, model_.step_s);
    const int peak = use.Peak(window.begin, window.end);
    const int on = nodes_[choice.group][slot];
    const double room_kwh = overfull_ * model_.cap_share * model_.tariffs[slot].cap_kwh - kwh_[slot];
    for (std::size_t i = 0; i < levels; ++i) {
      const WorkerLevel& level = choice.levels[i];
      Offer* const ways = &offers.offers[(t * levels + i) * 2];
      const double idle = facts.idle_watts * level.workers;
      const double price = MarginalPrice(slot, (level.hull[level.hull.size() / 2].watts - idle) * slot_joules);
      const double rent = RentOf(choice.group, slot, level.workers, price, rents);
      ways[0] = {price * model_.kwh_per_joule, rent, 0.0, room_kwh / slot_joules + idle};
      // Also without time: a part of a slot with fewer workers costs what its offer says.
      ways[1] = ways[0];
      OfferTime(use, window, peak, std::min(all, on * facts.gpus_per_node) - level.workers, ways[0]);
      if (ways[0].full > 0 || on >= most_nodes) continue;  // the job fits on the nodes that are on
      const int more = std::min(most_nodes, NodesFor(choice.group, peak + level.workers)) - on;
      if (more <= 0) continue;
      ways[1] = {ways[0].per_joule, rent, NodeCost(choice.group, slot, more),
                 (room_kwh - more * facts.on_kwh) / slot_joules + idle};
      OfferTime(use, window, peak, (on + more) * facts.gpus_per_node - level.workers, ways[1]);
    }
  }
}

bool DraftPlan::ImproveService(std::size_t service, std::size_t slot, const Rents* rents) {
  const auto& ways = model_.services[service][slot];
  const std::size_t former = options_[service][slot];
  SetOption(service, slot, kNoOption);
  std::size_t best = kNoOption;
  double least = 0.0;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const GroupModel& facts = model_.groups[ways[k].group];
    const int gpus = use_[ways[k].group][slot].peak() + ways[k].replicas;
    if (gpus > facts.nodes * facts.gpus_per_node) continue;
    const int more = NodesFor(ways[k].group, gpus) - nodes_[ways[k].group][slot];
    const double work =
        (ways[k].power.value - facts.idle_watts * ways[k].replicas) * model_.step_s * model_.kwh_per_joule;
    if (kwh_[slot] + work + more * facts.on_kwh >
        model_.cap_share * model_.tariffs[slot].cap_kwh * (1.0 + kTolerance)) {
      continue;
    }
    const double price = MarginalPrice(slot, work);
    double cost = work * price + ServiceCost(service, slot, k);
    if (more > 0) cost += NodeCost(ways[k].group, slot, more);
    if (model_.right_sizing) cost += (1.0 - whole_) * price * facts.on_kwh * ways[k].replicas / facts.gpus_per_node;
    if (rents != nullptr) cost += (*rents)[ways[k].group][slot] * ways[k].replicas * model_.step_s;
    if (best == kNoOption || cost < least) {
      best = k;
      least = cost;
    }
  }
  if (best == kNoOption) best = former;  // an over-full group is better than no service; the caller checks Fits()
  SetOption(service, slot, best);
  return best != kNoOption;
}

}  // namespace heliostat::decomposition
