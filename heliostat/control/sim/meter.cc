#include "heliostat/control/sim/meter.h"

namespace heliostat::sim {

Draw& Draw::operator+=(const Draw& other) {
  training += other.training;
  serving += other.serving;
  idle += other.idle;
  base += other.base;
  sleep += other.sleep;
  wake += other.wake;
  return *this;
}

Meter::Meter(const scenario::Scenario& scenario)
    : scenario_(scenario), now_(scenario.start), loads_(scenario.groups.size()), uses_(scenario.groups.size()) {
  slots_.reserve(scenario.slots);
  draws_.reserve(scenario.slots);
}

void Meter::Advance(Instant now) {
  const Seconds length(now - now_);
  now_ = now;
  if (length.count() <= 0.0) return;
  for (std::size_t g = 0; g < loads_.size(); ++g) {
    const GroupDraw& load = loads_[g];
    const scenario::Group& group = scenario_.groups[g];
    scenario::GroupUse& use = uses_[g];
    use.nodes_on += length * load.nodes_up;
    use.nodes_off += length * load.nodes_off;
    use.busy_gpus += length * load.busy_gpus;
    use.running += (load.training + load.serving) * length;
    draw_.training += load.training * length;
    draw_.serving += load.serving * length;
    draw_.idle += group.gpu_idle * (load.nodes_up * group.gpus_per_node - load.busy_gpus) * length;
    draw_.base += group.node_base * load.nodes_up * length;
    draw_.sleep += group.node_sleep * load.nodes_off * length;
  }
}

void Meter::WakeUp(std::size_t group) {
  const scenario::Group& which = scenario_.groups[group];
  ++uses_[group].wake_ups;
  ++wake_ups_;
  draw_.wake += which.wake_energy + which.node_base * Seconds(which.wake_time);
}

void Meter::CloseSlot() {
  const std::size_t slot = slots_.size();
  Joules it;
  for (std::size_t g = 0; g < uses_.size(); ++g) {
    it += scenario::ItEnergy(scenario_.groups[g], uses_[g]);
    uses_[g] = {};
  }
  slots_.push_back(account::Settle(it, scenario::SupplyOf(scenario_, slot)));
  total_ += slots_.back();
  draws_.push_back(draw_);
  draw_ = {};
}

}  // namespace heliostat::sim
