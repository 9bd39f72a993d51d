#include "heliostat/planning/milp/polish.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "heliostat/planning/milp/complete.h"
#include "heliostat/planning/milp/layout.h"
#include "heliostat/planning/milp/programme.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/nodes.h"
#include "heliostat/planning/plan/placement.h"

namespace heliostat::milp {
namespace {

// A step must gain at least this share of the value.
constexpr double kLeastGain = 1e-6;

class Polisher {
 public:
  Polisher(const plan::Problem& problem, const std::function<bool()>& may_go_on, plan::Plan& plan)
      : problem_(problem), may_go_on_(may_go_on), plan_(plan) {
    Look();
  }

  void Improve() {
    bool improved = true;
    while (improved && may_go_on_()) {
      improved = VacateNodes();
      improved = TurnOffNodes() || improved;
      for (std::size_t job = 0; job < plan_.jobs.size(); ++job) improved = ImproveJob(job) || improved;
    }
  }

 private:
  void Look() {
    const plan::Score score = plan::ScoreOf(problem_.scenario, plan_);
    value_ = plan::ValueOf(problem_.weights, score);
    std::vector<double> facility_kwh;
    for (const account::Balance& slot : score.slots) facility_kwh.push_back(InKilowattHours(slot.facility));
    worth_ = WorthOfSlots(problem_, facility_kwh);
  }

  bool ImproveJob(std::size_t job) {
    const scenario::Job& who = problem_.scenario.jobs[job];
    if (plan_.jobs[job].segments.empty()) return false;
    bool improved = TryWithout(job, problem_.scenario.horizon());
    if (!who.preemptible) return improved;
    const auto [first, last] = SlotsOf(problem_.scenario, who);
    for (std::size_t slot = first; slot < last && may_go_on_(); ++slot) {
      const Interval span = problem_.scenario.SlotSpan(slot);
      if (!RunsIn(job, span)) continue;
      improved = TryWithout(job, span) || improved;
      // A pause of one second is a restart: the job may continue on another node.
      if (RunsAcross(job, span.begin)) improved = TryWithout(job, {span.begin, span.begin + Duration{1}}) || improved;
    }
    return improved;
  }

  // Jobs stay on their node while they run, so a node stays on for the last of them. A restart of all jobs on one node
  // at the begin of a slot lets them move to other nodes.
  bool VacateNodes() {
    bool improved = false;
    for (std::size_t group = 0; group < problem_.scenario.groups.size(); ++group) {
      for (std::size_t slot = 1; slot < problem_.scenario.slots && may_go_on_(); ++slot) {
        for (const std::vector<std::size_t>& jobs : NodesHeldThrough(group, problem_.scenario.SlotSpan(slot).begin)) {
          improved = TryRestart(jobs, problem_.scenario.SlotSpan(slot).begin) || improved;
        }
      }
    }
    return improved;
  }

  // With one node less in a slot, all jobs that ran in it are placed again, in that slot or elsewhere.
  bool TurnOffNodes() {
    if (!problem_.limits.right_sizing) return false;
    bool improved = false;
    for (std::size_t group = 0; group < problem_.scenario.groups.size(); ++group) {
      for (std::size_t slot = 0; slot < problem_.scenario.slots && may_go_on_(); ++slot) {
        if (plan_.nodes_on[group][slot] > 0) improved = TryFewer(group, slot) || improved;
      }
    }
    return improved;
  }

  bool TryFewer(std::size_t group, std::size_t slot) {
    const Interval span = problem_.scenario.SlotSpan(slot);
    Layout layout(problem_, plan_, worth_);
    layout.TurnOff(group, slot);
    std::vector<std::size_t> moved;
    for (std::size_t job = 0; job < plan_.jobs.size(); ++job) {
      if (!RunsIn(job, span) || plan_.jobs[job].segments.front().group != group) continue;
      if (!problem_.scenario.jobs[job].preemptible) continue;
      layout.Remove(job, span);
      moved.push_back(job);
    }
    for (const std::size_t job : moved) Refill(job, layout);
    return Keep(layout.Take());
  }

  // The jobs on each node that run through an instant. Empty when one node is already enough for them.
  std::vector<std::vector<std::size_t>> NodesHeldThrough(std::size_t group, Instant t) const {
    std::map<int, std::vector<std::size_t>> nodes;
    const plan::Placement placement = plan::Place(problem_.scenario, plan_);
    for (const plan::Hold& hold : placement.holds) {
      if (hold.group == group && hold.span.begin < t && t < hold.span.end) nodes[hold.node].push_back(hold.job);
    }
    std::vector<std::vector<std::size_t>> jobs;
    if (nodes.size() < 2) return jobs;
    for (auto& [node, held] : nodes) jobs.push_back(std::move(held));
    return jobs;
  }

  bool TryRestart(const std::vector<std::size_t>& jobs, Instant t) {
    Layout layout(problem_, plan_, worth_);
    for (const std::size_t job : jobs) {
      if (!problem_.scenario.jobs[job].preemptible || !RunsAcross(job, t)) return false;
      TakeOut(job, {t, t + Duration{1}}, layout);
    }
    return Keep(layout.Take());
  }

  bool RunsIn(std::size_t job, const Interval& span) const {
    const auto& segments = plan_.jobs[job].segments;
    return std::any_of(segments.begin(), segments.end(),
                       [&](const plan::Segment& s) { return !s.span.Intersect(span).empty(); });
  }

  bool RunsAcross(std::size_t job, Instant t) const {
    return RunsIn(job, {t - Duration{1}, t}) && RunsIn(job, {t, t + Duration{1}});
  }

  // Removes the job from a span and lets it make its samples elsewhere.
  void TakeOut(std::size_t job, const Interval& span, Layout& layout) const {
    layout.Remove(job, span);
    // Otherwise it would return to the span at once.
    if (span != problem_.scenario.horizon()) layout.Bar(job, span);
    Refill(job, layout);
  }

  // Lets the job make as many samples as in the present plan.
  void Refill(std::size_t job, Layout& layout) const {
    const double samples = plan::SamplesDone(problem_.scenario, job, plan_.jobs[job]);
    const double wanted = std::min(samples, problem_.scenario.jobs[job].samples);
    Complete(layout, job, plan_.jobs[job].segments.front().group, wanted, true);
    Trim(layout, job, wanted);
  }

  bool TryWithout(std::size_t job, const Interval& span) {
    Layout layout(problem_, plan_, worth_);
    TakeOut(job, span, layout);
    return Keep(layout.Take());
  }

  // Keeps the other plan if it is better and valid. True if so.
  bool Keep(plan::Plan other) {
    SetNodes(problem_, worth_, other);
    const double value = plan::ValueOf(problem_.weights, plan::ScoreOf(problem_.scenario, other));
    if (value >= value_ - kLeastGain * std::abs(value_)) return false;
    if (!plan::Violations(problem_.scenario, problem_.limits, other).empty()) return false;
    plan_ = std::move(other);
    Look();
    return true;
  }

  const plan::Problem& problem_;
  const std::function<bool()>& may_go_on_;
  plan::Plan& plan_;
  double value_ = 0.0;
  std::vector<double> worth_;
};

}  // namespace

std::vector<double> WorthOfSlots(const plan::Problem& problem, const std::vector<double>& facility_kwh) {
  std::vector<double> worth;
  for (std::size_t slot = 0; slot < facility_kwh.size(); ++slot) {
    const Joules renewable = problem.scenario.renewable[slot] * Seconds(problem.scenario.step);
    worth.push_back(MarginalWorth(problem, slot, KilowattHours(facility_kwh[slot]) >= renewable));
  }
  return worth;
}

// Nodes in use must be on. The others are those of the solution, or those for which staying on pays now that whole
// seconds are known, whichever gives the better value.
void SetNodes(const plan::Problem& problem, const std::vector<double>& worth, plan::Plan& plan) {
  const scenario::Scenario& scenario = problem.scenario;
  plan::Placement placement = plan::Place(scenario, plan);
  plan.holds = std::move(placement.holds);
  plan::Plan other = plan;
  for (std::size_t g = 0; g < plan.nodes_on.size(); ++g) {
    const scenario::Group& group = scenario.groups[g];
    const Watts idle = group.node_base - group.node_sleep + group.gpu_idle * group.gpus_per_node;
    const Joules wake = group.wake_energy + group.node_base * Seconds(group.wake_time);
    plan::NodeCosts costs;
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      costs.idle.push_back(worth[slot] * InKilowattHours(idle * Seconds(scenario.step)));
      costs.wake_up.push_back(worth[slot] * InKilowattHours(wake));
      plan.nodes_on[g][slot] = std::max(plan.nodes_on[g][slot], placement.nodes_needed[g][slot]);
    }
    if (problem.limits.right_sizing)
      other.nodes_on[g] = plan::KeepOn(placement.nodes_needed[g], {group.nodes, scenario.UpBefore(g)}, costs);
  }
  const auto value = [&](const plan::Plan& p) { return plan::ValueOf(problem.weights, plan::ScoreOf(scenario, p)); };
  if (problem.limits.right_sizing && value(other) <= value(plan)) plan = std::move(other);
}

void Polish(const plan::Problem& problem, const std::function<bool()>& may_go_on, plan::Plan& plan) {
  Polisher(problem, may_go_on, plan).Improve();
}

}  // namespace heliostat::milp
