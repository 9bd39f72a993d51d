#include "heliostat/planning/decomposition/prices.h"

#include <algorithm>
#include <limits>

#include "heliostat/planning/decomposition/workers.h"

namespace heliostat::decomposition {
namespace {

// The cost of the impossible. Its negative is a bound that proves nothing.
constexpr double kImpossible = std::numeric_limits<double>::infinity();
// The most combinations of options of all services in a slot that are enumerated.
constexpr std::size_t kMostWays = 20000;
// With fewer than kFewJobs jobs, one thread is faster. Each thread takes kJobsAtOnce jobs at a time.
constexpr std::size_t kFewJobs = 64;
constexpr std::size_t kJobsAtOnce = 16;

void OffersAt(const Model& model, const JobModel& job, const Choice& choice, const Prices& prices, Offers& offers) {
  const double idle = model.groups[choice.group].idle_watts;
  offers.ways = 1;
  offers.same_for_levels = true;
  offers.offers.resize(job.slot_count);
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    const std::size_t slot = job.first_slot + t;
    Offer& offer = offers.offers[t];
    offer = {};
    offer.per_joule = prices.energy[slot] * model.kwh_per_joule;
    offer.per_gpu_second = prices.rent[choice.group][slot] / model.step_s - offer.per_joule * idle;
    offer.most_watts = std::numeric_limits<double>::infinity();
    offer.single_begin = t == 0 ? job.first_begin : 0;
    const int end = t + 1 == job.slot_count ? job.last_end : model.step_s;
    offer.full = offer.single = end - offer.single_begin;
    offer.first = end == model.step_s ? offer.full : 0;
    offer.last = offer.single_begin == 0 || job.runs ? offer.full : 0;
  }
}

// Begins with the group of the former schedule, which is often the best again, so that the others can be given up
// early.
Response ReplyOf(const Model& model, const JobModel& job, const Prices& prices, const Response& former,
                 JobSearch& search, Offers& offers) {
  Response best;
  double least = kImpossible;
  double lambda = former.lambda;
  for (std::size_t i = 0; i < job.choices.size() && job.slot_count > 0; ++i) {
    const std::size_t c = (former.schedule.choice + i) % job.choices.size();
    OffersAt(model, job, job.choices[c], prices, offers);
    Found found = search.BestIn(job, c, offers, true, lambda, least);
    if (!found.feasible) continue;
    const double cost = found.cost;
    const double bound = std::min(found.bound, cost);  // no bound can exceed the cost of a known schedule
    if (!best.feasible || cost < least) {
      least = cost;
      best.cost = cost;
      best.schedule = std::move(found.schedule);
      best.lambda = lambda = found.lambda;
    }
    best.bound = best.feasible ? std::min(best.bound, bound) : bound;
    best.feasible = true;
  }
  if (!job.required && (!best.feasible || least > 0.0)) {
    best = {true, {}, std::min(0.0, best.bound), 0.0, 0.0};
  } else if (!job.required) {
    best.bound = std::min(best.bound, 0.0);
  }
  return best;
}

double AskServices(const Model& model, const Prices& prices, Reply& reply) {
  double total = 0.0;
  for (std::size_t s = 0; s < model.services.size(); ++s) {
    auto& chosen = reply.options.emplace_back(model.slots, static_cast<std::size_t>(-1));
    for (std::size_t t = 0; t < model.slots; ++t) {
      double least = 0.0;
      const auto& ways = model.services[s][t];
      for (std::size_t k = 0; k < ways.size(); ++k) {
        const double watts = ways[k].power.value - model.groups[ways[k].group].idle_watts * ways[k].replicas;
        const double left = 1.0 - ways[k].latency.count() / model.latency_slo_s[s];
        const double cost = prices.energy[t] * watts * model.step_s * model.kwh_per_joule +
                            prices.rent[ways[k].group][t] * ways[k].replicas -
                            model.performance_weight * model.service_worth[s][t] * left;
        if (k == 0 || cost < least) {
          least = cost;
          chosen[t] = k;
        }
      }
      total += least;
    }
  }
  return total;
}

// The least net cost of the nodes of a group: they earn the rent of their GPUs and pay for being on and for wake-ups.
// All nodes that are up before the first slot have the same optimum, and so have the others.
double NodeAt(const Model& model, const Prices& prices, std::size_t group, bool is_up) {
  const GroupModel& facts = model.groups[group];
  double off = is_up ? kImpossible : 0.0;
  double on = is_up ? 0.0 : kImpossible;
  for (std::size_t t = 0; t < model.slots; ++t) {
    const double stay = prices.energy[t] * facts.on_kwh - prices.rent[group][t] * facts.gpus_per_node;
    const double wake = prices.energy[t] * facts.wake_kwh;
    if (!model.right_sizing) {
      on = (t == 0 && !is_up ? wake : on) + stay;
      continue;
    }
    const double was_on = on;
    on = std::min(on, off + wake) + stay;
    off = std::min(off, was_on);
  }
  return model.right_sizing ? std::min(on, off) : on;
}

double NodesAt(const Model& model, const Prices& prices, std::size_t group) {
  const GroupModel& facts = model.groups[group];
  double cost = facts.up > 0 ? facts.up * NodeAt(model, prices, group, true) : 0.0;
  if (facts.up < facts.nodes) cost += (facts.nodes - facts.up) * NodeAt(model, prices, group, false);
  return cost;
}

double EnergyAt(const Model& model, const Prices& prices) {
  double asleep = 0.0;
  for (const GroupModel& group : model.groups) asleep += group.nodes * group.sleep_kwh;
  double total = 0.0;
  for (std::size_t t = 0; t < model.slots; ++t) {
    const SlotTariff& tariff = model.tariffs[t];
    const double price = prices.energy[t];
    const double kink = std::min(tariff.free_kwh, tariff.cap_kwh);
    const double least =
        std::min({0.0, tariff.Cost(kink) - price * kink, tariff.Cost(tariff.cap_kwh) - price * tariff.cap_kwh});
    total += least + price * asleep;
  }
  return total;
}

// The least cost of services and nodes together in a slot, by enumeration: every combination of options with the whole
// nodes that it needs, and further nodes where they earn at these rents.
class SlotNodes {
 public:
  SlotNodes(const Model& model, const Prices& prices, std::size_t slot) : model_(model), prices_(prices), slot_(slot) {
    std::vector<int> replicas(model.groups.size(), 0);
    Visit(0, 0.0, replicas);
  }
  double least() const { return least_; }

 private:
  void Visit(std::size_t service, double cost, std::vector<int>& replicas) {
    if (service == model_.services.size()) {
      for (std::size_t g = 0; g < replicas.size(); ++g) cost += Nodes(g, replicas[g]);
      least_ = std::min(least_, cost);
      return;
    }
    for (const serving::ServingOption& way : model_.services[service][slot_]) {
      const double watts = way.power.value - model_.groups[way.group].idle_watts * way.replicas;
      const double left = 1.0 - way.latency.count() / model_.latency_slo_s[service];
      replicas[way.group] += way.replicas;
      Visit(service + 1,
            cost + prices_.energy[slot_] * watts * model_.step_s * model_.kwh_per_joule +
                prices_.rent[way.group][slot_] * way.replicas -
                model_.performance_weight * model_.service_worth[service][slot_] * left,
            replicas);
      replicas[way.group] -= way.replicas;
    }
  }

  double Nodes(std::size_t g, int replicas) const {
    const GroupModel& facts = model_.groups[g];
    const double each = prices_.energy[slot_] * facts.on_kwh - prices_.rent[g][slot_] * facts.gpus_per_node;
    const int needed = (replicas + facts.gpus_per_node - 1) / facts.gpus_per_node;
    if (needed > facts.nodes) return kImpossible;
    return each * (each < 0.0 ? facts.nodes : needed);
  }

  const Model& model_;
  const Prices& prices_;
  std::size_t slot_;
  double least_ = kImpossible;
};

}  // namespace

double BoundWithServiceNodes(const Model& model, const Prices& prices, const std::vector<Response>& jobs) {
  double bound = EnergyAt(model, prices) - model.performance_weight * model.certain_worth;
  for (const Response& job : jobs) bound += job.bound;
  for (std::size_t t = 0; t < model.slots; ++t) {
    std::size_t ways = 1;
    for (const auto& service : model.services) ways *= std::max<std::size_t>(1, service[t].size());
    if (ways > kMostWays || !model.right_sizing) return -kImpossible;
    bound += SlotNodes(model, prices, t).least();
  }
  return bound;
}

Prices OpenPrices(const Model& model) {
  Prices prices;
  for (const SlotTariff& tariff : model.tariffs) {
    // With concave costs, the mean price of a full slot is never too high.
    const double full = tariff.cap_kwh > 0.0 ? tariff.Cost(tariff.cap_kwh) / tariff.cap_kwh : tariff.cheap;
    prices.energy.push_back(tariff.dear >= 0.0 ? tariff.cheap + tariff.dear : full);
  }
  for (const GroupModel& group : model.groups) {
    auto& rent = prices.rent.emplace_back();
    for (const double energy : prices.energy)
      rent.push_back(std::max(0.0, energy * group.on_kwh / group.gpus_per_node));
  }
  return prices;
}

Reply Ask(const Model& model, const Prices& prices, const std::vector<Response>& former, unsigned threads) {
  Reply reply;
  reply.jobs.resize(model.jobs.size());
  const Response unknown;
  const unsigned used = model.jobs.size() < kFewJobs ? 1 : ThreadsFor(threads);
  struct Worker {
    JobSearch search;
    Offers offers;
  };
  std::vector<Worker> workers(used, Worker{JobSearch(model.step_s, model.performance_weight), {}});
  VisitInThreads(model.jobs.size(), kJobsAtOnce, used, [&](unsigned worker, std::size_t j) {
    const Response& before = former.empty() ? unknown : former[j];
    reply.jobs[j] = ReplyOf(model, model.jobs[j], prices, before, workers[worker].search, workers[worker].offers);
  });

  reply.bound =
      AskServices(model, prices, reply) + EnergyAt(model, prices) - model.performance_weight * model.certain_worth;
  for (std::size_t g = 0; g < model.groups.size(); ++g) reply.bound += NodesAt(model, prices, g);
  for (const Response& job : reply.jobs) reply.bound += job.bound;
  return reply;
}

}  // namespace heliostat::decomposition
