#include "heliostat/price/master.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <numeric>

namespace heliostat::price {
namespace {

constexpr std::size_t kMostClusters = 250;

}  // namespace

// Rows: energy of each slot, GPUs of each group and slot, wake-ups, then one for each mixture.
struct Master::Programme {
  ClpSimplex simplex;
  int slots = 0;
  int groups = 0;
  int clusters = 0;

  int EnergyRow(std::size_t t) const { return static_cast<int>(t); }
  int GpuRow(std::size_t g, std::size_t t) const { return slots * (1 + static_cast<int>(g)) + static_cast<int>(t); }
  int WakeRow(std::size_t g, std::size_t t) const {
    return slots * (1 + groups + static_cast<int>(g)) + static_cast<int>(t);
  }
  int ClusterRow(std::size_t c) const { return slots * (1 + 2 * groups) + static_cast<int>(c); }
  int ServiceRow(std::size_t t) const { return ClusterRow(0) + clusters + static_cast<int>(t); }
};

Master::Master(const Model& model) : model_(model), programme_(std::make_unique<Programme>()) {
  std::vector<std::size_t> order(model.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t j) {
    return 2 * model.jobs[j].first_slot + model.jobs[j].slot_count;
  });
  clusters_ = std::min(kMostClusters, order.size());
  cluster_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) cluster_[order[i]] = i * clusters_ / order.size();

  Programme& p = *programme_;
  p.slots = static_cast<int>(model.slots);
  p.groups = static_cast<int>(model.groups.size());
  p.clusters = static_cast<int>(clusters_);
  const int rows = p.ClusterRow(0) + p.clusters + (model.services.empty() ? 0 : p.slots);
  p.simplex.setLogLevel(0);
  p.simplex.resize(rows, 0);
  double asleep = 0.0;
  for (const GroupModel& group : model.groups) asleep += group.nodes * group.sleep_kwh;
  for (std::size_t t = 0; t < model.slots; ++t) {
    p.simplex.setRowBounds(p.EnergyRow(t), asleep, asleep);
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      p.simplex.setRowBounds(p.GpuRow(g, t), 0.0, COIN_DBL_MAX);
      p.simplex.setRowBounds(p.WakeRow(g, t), 0.0, COIN_DBL_MAX);
    }
    if (!model.services.empty()) p.simplex.setRowBounds(p.ServiceRow(t), 1.0, 1.0);
  }
  for (std::size_t c = 0; c < clusters_; ++c) p.simplex.setRowBounds(p.ClusterRow(c), 1.0, 1.0);
  AddEnergy();
  AddNodes();
}

Master::~Master() = default;

// Energy in steps of rising price, and a last resort that makes every mixture possible at a price nobody would pay.
void Master::AddEnergy() {
  Programme& p = *programme_;
  double dearest = 0.0;
  for (const SlotTariff& tariff : model_.tariffs) dearest = std::max(dearest, std::abs(tariff.cheap + tariff.dear));
  const double resort = 50.0 * std::max(dearest, 1e-9);
  for (std::size_t t = 0; t < model_.slots; ++t) {
    const SlotTariff& tariff = model_.tariffs[t];
    const int row = p.EnergyRow(t);
    const double one = 1.0;
    const double free = std::min(tariff.free_kwh, tariff.cap_kwh);
    if (tariff.dear >= 0.0) {
      p.simplex.addColumn(1, &row, &one, 0.0, free, tariff.cheap);
      p.simplex.addColumn(1, &row, &one, 0.0, tariff.cap_kwh - free, tariff.cheap + tariff.dear);
    } else {
      p.simplex.addColumn(1, &row, &one, 0.0, tariff.cap_kwh, tariff.Cost(tariff.cap_kwh) / tariff.cap_kwh);
    }
    p.simplex.addColumn(1, &row, &one, 0.0, COIN_DBL_MAX, resort);
    for (std::size_t g = 0; g < model_.groups.size(); ++g) {
      const int gpus = p.GpuRow(g, t);
      const double node = model_.groups[g].on_kwh / model_.groups[g].gpus_per_node;
      p.simplex.addColumn(1, &gpus, &one, 0.0, COIN_DBL_MAX, resort * std::max(node, 1e-6) * 4.0);
    }
  }
}

void Master::AddNodes() {
  Programme& p = *programme_;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const GroupModel& group = model_.groups[g];
    for (std::size_t t = 0; t < model_.slots; ++t) {
      std::vector<int> rows{p.EnergyRow(t), p.GpuRow(g, t)};
      std::vector<double> values{-group.on_kwh, static_cast<double>(group.gpus_per_node)};
      if (t > 0) {
        rows.push_back(p.WakeRow(g, t));
        values.push_back(-1.0);
      }
      if (t + 1 < model_.slots) {
        rows.push_back(p.WakeRow(g, t + 1));
        values.push_back(1.0);
      }
      const double least = model_.right_sizing ? 0.0 : group.nodes;
      p.simplex.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), least, group.nodes, 0.0);
      if (t == 0) continue;
      const std::vector<int> wake_rows{p.EnergyRow(t), p.WakeRow(g, t)};
      const std::vector<double> wake{-group.wake_kwh, 1.0};
      p.simplex.addColumn(2, wake_rows.data(), wake.data(), 0.0, group.nodes, 0.0);
    }
  }
}

void Master::AddJobs(const std::vector<const Schedule*>& schedules) {
  Programme& p = *programme_;
  const std::size_t width = model_.slots * (1 + model_.groups.size());
  std::vector<std::vector<double>> use(clusters_);
  std::vector<double> cost(clusters_, 0.0);
  for (std::size_t j = 0; j < schedules.size(); ++j) {
    const JobModel& job = model_.jobs[j];
    const Schedule& schedule = *schedules[j];
    auto& mine = use[cluster_[j]];
    if (mine.empty()) mine.assign(width, 0.0);
    if (schedule.pieces.empty()) continue;
    const Choice& choice = job.choices[schedule.choice];
    const double idle = model_.groups[choice.group].idle_watts;
    cost[cluster_[j]] -= model_.performance_weight * WorthOf(job, schedule, model_.step_s);
    for (const Piece& piece : schedule.pieces) {
      const Level& level = choice.levels[piece.level];
      const double gpu_seconds = static_cast<double>(level.workers) * (piece.end - piece.begin);
      mine[piece.slot] -= (JoulesOf(level, piece) - idle * gpu_seconds) * model_.kwh_per_joule;
      mine[model_.slots * (1 + choice.group) + piece.slot] -= gpu_seconds / model_.step_s;
    }
  }
  std::vector<int> rows;
  std::vector<double> values;
  for (std::size_t c = 0; c < clusters_; ++c) {
    rows.assign(1, p.ClusterRow(c));
    values.assign(1, 1.0);
    for (std::size_t r = 0; r < use[c].size(); ++r) {
      if (use[c][r] == 0.0) continue;
      rows.push_back(static_cast<int>(r));
      values.push_back(use[c][r]);
    }
    p.simplex.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0.0, COIN_DBL_MAX, cost[c]);
  }
}

void Master::AddServices(const std::vector<std::vector<std::size_t>>& options) {
  Programme& p = *programme_;
  for (std::size_t t = 0; t < model_.slots && !options.empty(); ++t) {
    double kwh = 0.0;
    double cost = 0.0;
    std::vector<double> gpus(model_.groups.size(), 0.0);
    for (std::size_t s = 0; s < options.size(); ++s) {
      if (options[s][t] >= model_.services[s][t].size()) continue;
      const serving::Option& way = model_.services[s][t][options[s][t]];
      const double idle = model_.groups[way.group].idle_watts;
      kwh += (way.power.value - idle * way.replicas) * model_.step_s * model_.kwh_per_joule;
      gpus[way.group] += way.replicas;
      cost -= model_.performance_weight * model_.service_worth[s][t] *
              (1.0 - way.latency.count() / model_.latency_slo_s[s]);
    }
    std::vector<int> rows{p.ServiceRow(t), p.EnergyRow(t)};
    std::vector<double> values{1.0, -kwh};
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      if (gpus[g] == 0.0) continue;
      rows.push_back(p.GpuRow(g, t));
      values.push_back(-gpus[g]);
    }
    p.simplex.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0.0, COIN_DBL_MAX, cost);
  }
}

void Master::Add(const std::vector<const Schedule*>& schedules,
                 const std::vector<std::vector<std::size_t>>& options) {
  AddJobs(schedules);
  AddServices(options);
}

bool Master::Solve() {
  Programme& p = *programme_;
  if (p.simplex.primal(1) != 0 && p.simplex.dual() != 0 && p.simplex.primal() != 0) return false;
  value_ = p.simplex.objectiveValue() - model_.performance_weight * model_.certain_worth;
  const double* duals = p.simplex.dualRowSolution();
  prices_.energy.assign(duals, duals + p.slots);
  prices_.rent.clear();
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    prices_.rent.emplace_back(duals + p.GpuRow(g, 0), duals + p.GpuRow(g, 0) + p.slots);
    for (double& rent : prices_.rent.back()) rent = std::max(rent, 0.0);
  }
  return true;
}

}  // namespace heliostat::price
