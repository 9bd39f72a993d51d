#include "heliostat/planning/milp/builder.h"

#include <algorithm>
#include <cmath>

namespace heliostat::milp {
namespace {

constexpr double kGramsPerKg = 1e3;

double Hours(Seconds d) { return d.count() / kHour; }

// A limit with the tolerance of plan::Violations(), so that the bound holds for every plan that passes that check.
double Wider(double limit, int direction) { return limit + direction * (1.0 - kDone) * std::abs(limit); }

}  // namespace

Builder::Builder(const plan::Problem& problem)
    : problem_(problem),
      scenario_(problem.scenario),
      step_h_(Hours(problem.scenario.step)),
      it_kwh_(scenario_.slots),
      it_constant_kwh_(scenario_.slots, 0.0),
      gpu_hours_(scenario_.groups.size(), std::vector<std::vector<Term>>(scenario_.slots)),
      presences_(scenario_.groups.size(), std::vector<std::vector<std::vector<Term>>>(scenario_.slots)) {
  for (std::size_t slot = 0; slot < scenario_.slots; ++slot) slower_too_ |= EnergyMayPay(problem, slot);
}

void Builder::AddPerformance(int column, double factor) {
  performance_.push_back({column, factor});
  programme_.linear.At(column).cost -= problem_.weights.performance * factor;
}

bool Builder::AddServices() {
  const bool headroom = scenario_.performance == scenario::Performance::kHeadroom && performance_counts();
  for (std::size_t service = 0; service < scenario_.services.size(); ++service) {
    const scenario::Service& who = scenario_.services[service];
    double requests = 0.0;
    for (const double rate : who.requests_per_s) requests += rate;
    ServiceColumns columns;
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      columns.options.push_back(serving::OptionsFor(scenario_, who, slot, headroom));
      if (columns.options.back().empty()) return false;
      AddServiceSlot(service, slot, requests, columns);
    }
    if (headroom && requests <= 0.0) {
      performance_constant_ += 1.0 / static_cast<double>(scenario_.jobs.size() + scenario_.services.size());
    }
    programme_.services.push_back(std::move(columns));
  }
  return true;
}

void Builder::AddServiceSlot(std::size_t service, std::size_t slot, double requests, ServiceColumns& columns) {
  const scenario::Service& who = scenario_.services[service];
  const bool headroom = scenario_.performance == scenario::Performance::kHeadroom;
  const double rate = who.requests_per_s[slot];
  const double members = static_cast<double>(scenario_.jobs.size() + scenario_.services.size());
  const std::vector<serving::ServingOption>& options = columns.options[slot];
  std::vector<Term> one;
  std::vector<std::vector<Term>> needs(scenario_.groups.size());
  for (const serving::ServingOption& option : options) {
    const scenario::Group& group = scenario_.groups[option.group];
    const int column = programme_.linear.AddColumn({0.0, 1.0, 0.0, options.size() > 1});
    one.push_back({column, 1.0});
    EnergyOf(slot).push_back({column, InKilowatts(option.power - group.gpu_idle * option.replicas) * step_h_});
    GpuHoursOf(option.group, slot).push_back({column, option.replicas * step_h_});
    const int nodes = (option.replicas + group.gpus_per_node - 1) / group.gpus_per_node;
    if (nodes > 0) needs[option.group].push_back({column, static_cast<double>(nodes)});
    if (!performance_counts() || option.replicas == 0) continue;
    if (headroom && requests > 0.0) {
      const double left = std::clamp(1.0 - option.latency / who.latency_slo, 0.0, 1.0);
      AddPerformance(column, rate * left / requests / members);
    } else if (const double reference = scenario_.ReferenceRequestsPerS(who.model); !headroom && reference > 0.0) {
      AddPerformance(column, rate * step_h_ / reference);
    }
  }
  programme_.linear.AddRow(1.0, 1.0, one);
  for (std::size_t group = 0; group < needs.size(); ++group) {
    if (!needs[group].empty()) presences_[group][slot].push_back(std::move(needs[group]));
  }
  std::vector<int> indices;
  indices.reserve(one.size());
  for (const Term& term : one) indices.push_back(term.column);
  columns.columns.push_back(std::move(indices));
}

void Builder::AddNodes() {
  for (std::size_t g = 0; g < scenario_.groups.size(); ++g) {
    const scenario::Group& group = scenario_.groups[g];
    const double wake_kwh = InKilowattHours(group.wake_energy + group.node_base * Seconds(group.wake_time));
    std::vector<int> nodes;
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      const double fewest = problem_.limits.right_sizing ? 0.0 : group.nodes;
      const int on = programme_.linear.AddColumn({fewest, static_cast<double>(group.nodes), 0.0, true});
      const Watts extra = group.node_base - group.node_sleep + group.gpu_idle * group.gpus_per_node;
      EnergyOf(slot).push_back({on, InKilowatts(extra) * step_h_});
      it_constant_kwh_[slot] += InKilowatts(group.node_sleep) * step_h_ * group.nodes;
      if (slot > 0 && problem_.limits.right_sizing && wake_kwh > 0.0) {
        const int woken = programme_.linear.AddColumn({0.0, static_cast<double>(group.nodes), 0.0, false});
        EnergyOf(slot).push_back({woken, wake_kwh});
        programme_.linear.AddRow(0.0, kUnlimited, {{woken, 1.0}, {on, -1.0}, {nodes.back(), 1.0}});
        if (EnergyMayPay(problem_, slot)) {
          // A wake-up must not be a way to use energy: only nodes that are on and were off before wake up.
          programme_.linear.AddRow(-kUnlimited, 0.0, {{woken, 1.0}, {on, -1.0}});
          programme_.linear.AddRow(-kUnlimited, group.nodes, {{woken, 1.0}, {nodes.back(), 1.0}});
        }
      }
      std::vector<Term> used = std::move(GpuHoursOf(g, slot));
      used.push_back({on, -group.gpus_per_node * step_h_});
      programme_.linear.AddRow(-kUnlimited, 0.0, std::move(used));
      for (std::vector<Term>& need : presences_[g][slot]) {
        need.push_back({on, -1.0});
        programme_.linear.AddRow(-kUnlimited, 0.0, std::move(need));
      }
      nodes.push_back(on);
    }
    programme_.nodes.push_back(std::move(nodes));
  }
}

double Builder::MostEnergyKwh() const {
  double it_kwh = 0.0;
  for (const scenario::Group& group : scenario_.groups) {
    Watts gpu = group.gpu_idle;
    for (const auto& [key, points] : scenario_.training.all()) {
      if (key.second != group.gpu) continue;
      for (const auto& point : points) gpu = std::max(gpu, point.power / point.workers);
    }
    for (const auto& [key, points] : scenario_.inference.all()) {
      if (key.second != group.gpu) continue;
      for (const auto& point : points) gpu = std::max(gpu, point.power);
    }
    const Watts node = std::max(group.node_base, group.node_sleep) + gpu * group.gpus_per_node;
    const Joules wake = group.wake_energy + group.node_base * Seconds(group.wake_time);
    it_kwh += group.nodes * (InKilowatts(node) * step_h_ + InKilowattHours(wake));
  }
  const double most = scenario_.pue * it_kwh;
  if (!problem_.limits.facility_cap) return most;
  return std::min(most, Wider(InKilowatts(*problem_.limits.facility_cap), +1) * step_h_);
}

void Builder::AddEnergy() {
  for (std::size_t slot = 0; slot < scenario_.slots; ++slot) AddSlotEnergy(slot);
}

void Builder::AddSlotEnergy(std::size_t slot) {
  Linear& linear = programme_.linear;
  const double most_kwh = MostEnergyKwh();
  const double grid_kg = InGramsPerKwh(scenario_.carbon[slot]) / kGramsPerKg;
  const double own_kg = InGramsPerKwh(scenario_.renewable_carbon) / kGramsPerKg;
  const double price = scenario_.price_per_kwh.empty() ? 0.0 : scenario_.price_per_kwh[slot];
  const plan::Weights& weights = problem_.weights;

  SlotEnergy energy;
  energy.renewable_kwh = InKilowatts(scenario_.renewable[slot]) * step_h_;
  energy.never_grid = energy.renewable_kwh >= most_kwh;
  energy.facility = linear.AddColumn({0.0, most_kwh, weights.energy_kwh + weights.carbon_kg * own_kg, false});
  carbon_kg_.push_back({energy.facility, own_kg});
  std::vector<Term> sum{{energy.facility, -1.0}};
  for (const Term& term : it_kwh_[slot]) sum.push_back({term.column, term.factor * scenario_.pue});
  const double fixed = -scenario_.pue * it_constant_kwh_[slot];
  linear.AddRow(fixed, fixed, std::move(sum));

  int grid = energy.facility;
  if (energy.never_grid) {
    grid = -1;
  } else if (energy.renewable_kwh > 0.0) {
    grid = energy.grid = linear.AddColumn({0.0, most_kwh - energy.renewable_kwh, 0.0, false});
    linear.AddRow(-energy.renewable_kwh, kUnlimited, {{energy.grid, 1.0}, {energy.facility, -1.0}});
    if (NeedsOnGrid(problem_, slot)) AddOnGrid(energy, most_kwh);
  }
  if (grid >= 0) {
    linear.At(grid).cost += weights.carbon_kg * (grid_kg - own_kg) + weights.cost * price;
    carbon_kg_.push_back({grid, grid_kg - own_kg});
  }
  programme_.slots.push_back(energy);
}

// Makes grid exactly max(0, facility - renewable).
void Builder::AddOnGrid(SlotEnergy& energy, double most_kwh) {
  Linear& linear = programme_.linear;
  energy.on_grid = linear.AddColumn({0.0, 1.0, 0.0, true});
  linear.AddRow(-kUnlimited, 0.0, {{energy.grid, 1.0}, {energy.on_grid, energy.renewable_kwh - most_kwh}});
  linear.AddRow(-kUnlimited, 0.0,
                {{energy.grid, 1.0}, {energy.facility, -1.0}, {energy.on_grid, energy.renewable_kwh}});
}

void Builder::AddLimits() {
  Linear& linear = programme_.linear;
  linear.constant = -problem_.weights.performance * performance_constant_;
  if (problem_.limits.carbon_budget_kg) {
    programme_.carbon_row = linear.AddRow(-kUnlimited, Wider(*problem_.limits.carbon_budget_kg, +1), carbon_kg_);
  }
  if (problem_.limits.performance_floor) {
    programme_.performance_row =
        linear.AddRow(Wider(*problem_.limits.performance_floor, -1) - performance_constant_, kUnlimited, performance_);
  }
}

std::optional<Programme> Build(const plan::Problem& problem) {
  Builder builder(problem);
  if (!builder.AddJobs() || !builder.AddServices()) return std::nullopt;
  builder.AddNodes();
  builder.AddEnergy();
  builder.AddLimits();
  return builder.Take();
}

}  // namespace heliostat::milp
