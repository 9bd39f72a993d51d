#include "heliostat/control/cluster_account/usage.h"

#include <numeric>

namespace heliostat::cluster_account {

Joules Usage::total() const { return std::accumulate(of_nodes.begin(), of_nodes.end(), Joules{}); }

Usage Measure(const Interval& span, std::span<const NodeSpan> nodes, std::span<const JobSpan> jobs) {
  Usage usage{std::vector<Joules>(nodes.size()), std::vector<Joules>(jobs.size()), Joules{}};
  const Seconds length{span.length()};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeSpan& node = nodes[n];
    const Watts power = node.is_off ? node.power.sleep : node.power.base + node.power.gpu_idle * node.gpus;
    usage.of_nodes[n] = power * length;
    usage.unused += usage.of_nodes[n];
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Seconds held{jobs[j].span.Intersect(span).length()};
    for (const GpusOnNode& part : jobs[j].on) {
      const NodeSpan& node = nodes[part.node];
      const Watts alone = node.power.gpu_idle * part.gpus;
      Watts moved;  // drawn without the job too, and paid by it
      if (!node.is_off) moved = alone + (node.gpus > 0 ? node.power.base * part.gpus / node.gpus : Watts{});
      const Watts added = node.power.gpu_busy * part.gpus - (node.is_off ? Watts{} : alone);
      usage.of_nodes[part.node] += added * held;
      usage.of_jobs[j] += (moved + added) * held;
      usage.unused -= moved * held;
    }
  }
  return usage;
}

}  // namespace heliostat::cluster_account
