#include "heliostat/control/cluster_account/usage.h"

#include <algorithm>
#include <numeric>

namespace heliostat::cluster_account {

Joules Usage::total() const { return std::accumulate(of_nodes.begin(), of_nodes.end(), Joules{}); }

namespace {

// How much of `span` the node is off.
Seconds TimeOff(const NodeSpan& node, const Interval& span) {
  const Instant turn = std::clamp(node.turns.value_or(span.end), span.begin, span.end);
  return Seconds(node.is_off ? turn - span.begin : span.end - turn);
}

}  // namespace

Usage Measure(const Interval& span, std::span<const NodeSpan> nodes, std::span<const JobSpan> jobs) {
  Usage usage{std::vector<Joules>(nodes.size()), std::vector<Joules>(jobs.size()), Joules{}};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeSpan& node = nodes[n];
    const Seconds off = TimeOff(node, span);
    usage.of_nodes[n] =
        node.power.sleep * off + (node.power.base + node.power.gpu_idle * node.gpus) * (Seconds(span.length()) - off);
    usage.unused += usage.of_nodes[n];
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Interval held = jobs[j].span.Intersect(span);
    if (held.length() <= Duration{0}) continue;
    for (const GpusOnNode& part : jobs[j].on) {
      const NodeSpan& node = nodes[part.node];
      const Seconds on = Seconds(held.length()) - TimeOff(node, held);
      const Joules alone = node.power.gpu_idle * part.gpus * on;
      // Drawn without the job too, and paid by it.
      const Joules moved = alone + (node.gpus > 0 ? node.power.base * part.gpus / node.gpus * on : Joules{});
      const Joules added = node.power.gpu_busy * part.gpus * Seconds(held.length()) - alone;
      usage.of_nodes[part.node] += added;
      usage.of_jobs[j] += moved + added;
      usage.unused -= moved;
    }
  }
  return usage;
}

}  // namespace heliostat::cluster_account
