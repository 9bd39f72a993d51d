#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/placement.h"
#include "heliostat/planning/planner/best_effort.h"
#include "heliostat/planning/planner/planner.h"
#include "heliostat/planning/planner/reasons.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using scenario::Scenario;

constexpr double kTolerance = 1e-9;  // seconds; rounding errors must not add a second

std::string UnitOf(const Scenario& scenario, Objective objective) {
  if (objective == Objective::kMinCost) return std::string(scenario.currency.code());
  if (objective == Objective::kMinEnergy) return "kWh";
  return "kg CO2e";
}

// The quantity that the objective minimises: cost, energy, or carbon for all others.
double Paid(Objective objective, const plan::Score& score) {
  if (objective == Objective::kMinCost) return score.total.cost;
  if (objective == Objective::kMinEnergy) return InKilowattHours(score.total.facility);
  return score.carbon_kg();
}

std::string Setting(const scenario::TrainingPoint& point) {
  if (point.knob.power_limit_w) return fmt::format("{} x {:g} W", point.workers, *point.knob.power_limit_w);
  if (point.knob.core_mhz) return fmt::format("{} x {:g} MHz", point.workers, *point.knob.core_mhz);
  return fmt::format("{} workers", point.workers);
}

class Explainer {
 public:
  Explainer(const Scenario& scenario, const PlanRequest& request, const plan::Planned& planned, std::size_t job)
      : scenario_(scenario), request_(request), planned_(planned), job_(job), facts_(scenario.jobs[job]) {
    base_ = Placed(planned.plan);
    base_score_ = plan::ScoreOf(scenario_, base_);
  }

  Explanation Tell() {
    explanation_.job = facts_.id;
    explanation_.unit = UnitOf(scenario_, request_.objective);
    for (std::size_t t = 0; t < scenario_.slots; ++t) AddSlot(t);
    AddAlternatives();
    Summarise();
    return std::move(explanation_);
  }

 private:
  const std::vector<scenario::TrainingPoint>& Points(std::size_t group) const {
    return scenario_.training.Of(facts_.model, scenario_.groups[group].gpu);
  }

  // The plan with as many nodes on as the placement needs, so that the plan and its alternatives are comparable.
  plan::Plan Placed(plan::Plan plan) const {
    if (request_.limits.right_sizing) plan.nodes_on = plan::Place(scenario_, plan).nodes_needed;
    for (std::size_t g = 0; g < plan.nodes_on.size(); ++g) {
      for (int& on : plan.nodes_on[g]) on = std::min(on, scenario_.groups[g].nodes);
    }
    return plan;
  }

  std::string StateIn(const Interval& slot) const {
    const Interval window = scenario_.WindowOf(facts_);
    if (slot.end <= window.begin) return "before submit";
    const auto& segments = planned_.plan.jobs[job_].segments;
    if (slot.begin >= window.end) return "after the deadline";
    std::string state;
    for (const plan::Segment& segment : segments) {
      if (segment.span.Intersect(slot).empty()) continue;
      const std::string here = "runs " + Setting(Points(segment.group)[segment.point]);
      state = here;  // the last setting in the slot
    }
    if (!state.empty()) return state;
    return segments.empty() || slot.begin >= segments.back().span.end ? "done" : "waits";
  }

  void AddSlot(std::size_t t) {
    const account::Balance& balance = planned_.score.slots[t];
    const bool grid = balance.grid.value > 0.0;
    const CarbonIntensity carbon = grid ? scenario_.carbon[t] : scenario_.renewable_carbon;
    const double price = scenario_.price_per_kwh.empty() || !grid ? 0.0 : scenario_.price_per_kwh[t];
    Explanation::Slot slot;
    slot.time = scenario_.SlotSpan(t).begin;
    slot.carbon_g_per_kwh = InGramsPerKwh(carbon);
    slot.energy_price = InGramsPerKwh(carbon) / 1000.0;
    if (request_.objective == Objective::kMinCost) slot.energy_price = price;
    if (request_.objective == Objective::kMinEnergy) slot.energy_price = 1.0;
    const auto& segments = planned_.plan.jobs[job_].segments;
    const std::size_t g = segments.empty() ? 0 : segments.front().group;
    const scenario::Group& group = scenario_.groups[g];
    const double node_kw =
        (group.node_base.value - group.node_sleep.value + group.gpus_per_node * group.gpu_idle.value) * scenario_.pue /
        1e3;
    slot.gpu_rent = slot.energy_price * node_kw / group.gpus_per_node;
    slot.state = StateIn(scenario_.SlotSpan(t));
    explanation_.slots.push_back(std::move(slot));
  }

  // Runs from `begin` at one point until the job is done.
  plan::JobPlan Straight(std::size_t group, std::size_t point, Instant begin) const {
    const double seconds = facts_.samples / Points(group)[point].samples_per_s;
    const auto whole = Duration(static_cast<std::int64_t>(std::ceil(seconds - kTolerance))) + facts_.resume;
    return {{{{begin, begin + whole}, group, point}}};
  }

  void Try(std::string what, const plan::JobPlan& other) {
    Explanation::Alternative alternative;
    alternative.what = std::move(what);
    const Interval window = scenario_.WindowOf(facts_);
    const Instant end = other.segments.back().span.end;
    if (end > window.end) {
      alternative.feasible = false;
      alternative.note = fmt::format("would end at {}, {} too late", FormatInstant(end), InWords(end - window.end));
      explanation_.alternatives.push_back(std::move(alternative));
      return;
    }
    plan::Plan changed = base_;
    changed.jobs[job_] = other;
    changed = Placed(std::move(changed));
    plan::Limits hard = request_.limits;
    hard.carbon_budget_kg.reset();
    hard.performance_floor.reset();
    if (const auto broken = plan::Violations(scenario_, hard, changed); !broken.empty()) {
      alternative.feasible = false;
      alternative.note = broken.front();
    }
    const plan::Score score = plan::ScoreOf(scenario_, changed);
    alternative.extra = Paid(request_.objective, score) - Paid(request_.objective, base_score_);
    alternative.extra_carbon_kg = score.carbon_kg() - base_score_.carbon_kg();
    explanation_.alternatives.push_back(std::move(alternative));
  }

  // The point with the best `measure` (more is better) among the job's in a group.
  template <typename Measure>
  std::optional<std::size_t> BestPoint(std::size_t group, Measure measure) const {
    std::optional<std::size_t> best;
    for (const std::size_t i : scenario_.PointsFor(facts_, group)) {
      if (!best || measure(Points(group)[i]) > measure(Points(group)[*best])) best = i;
    }
    return best;
  }

  void AddAlternatives() {
    const Instant begin = scenario_.WindowOf(facts_).begin;
    const auto& segments = planned_.plan.jobs[job_].segments;
    const std::size_t home = segments.empty() ? 0 : segments.front().group;
    const auto speed = [](const scenario::TrainingPoint& p) { return p.samples_per_s; };
    const auto thrift = [](const scenario::TrainingPoint& p) { return p.samples_per_s / p.power.value; };
    for (std::size_t g = 0; g < scenario_.groups.size(); ++g) {
      const std::string where = g == home ? "" : " in group " + scenario_.groups[g].name;
      if (const auto fast = BestPoint(g, speed)) {
        Try(fmt::format("at once and as fast as it can, {}{}", Setting(Points(g)[*fast]), where),
            Straight(g, *fast, begin));
      }
      if (const auto lean = BestPoint(g, thrift)) {
        Try(fmt::format("at once with the least energy per sample, {}{}", Setting(Points(g)[*lean]), where),
            Straight(g, *lean, begin));
      }
    }
    if (segments.empty()) return;
    const std::size_t point = segments.back().point;
    Try("at once at the setting it has now, without a pause", Straight(home, point, begin));
    Try("from its first start at that setting, without a pause", Straight(home, point, segments.front().span.begin));
    const Interval window = scenario_.WindowOf(facts_);
    const plan::JobPlan late = Straight(home, point, begin);
    const Duration slack = window.end - late.segments.back().span.end;
    if (slack > Duration{0}) Try("as late as it can at that setting", Straight(home, point, begin + slack));
  }

  void Summarise() {
    const auto& segments = planned_.plan.jobs[job_].segments;
    if (segments.empty()) {
      explanation_.summary = fmt::format("{} does not run: it has no deadline, and {} does not require it.", facts_.id,
                                         plan::NameOf(request_.objective));
      return;
    }
    double ran = 0.0;
    double paid = 0.0;
    double mean = 0.0;
    double seen = 0.0;
    for (const Explanation::Slot& slot : explanation_.slots) {
      if (slot.state == "before submit" || slot.state == "after the deadline") continue;
      mean += slot.energy_price;
      seen += 1.0;
      if (slot.state.rfind("runs", 0) != 0) continue;
      paid += slot.energy_price;
      ran += 1.0;
    }
    const Interval window = scenario_.WindowOf(facts_);
    explanation_.summary = fmt::format(
        "{} may run from {} to {} and runs in {:.0f} of these {:.0f} slots, from {} to {}. Energy costs {:.4g} {} per "
        "kWh where it runs, against {:.4g} over its window.",
        facts_.id, FormatInstant(window.begin), FormatInstant(window.end), ran, seen,
        FormatInstant(segments.front().span.begin), FormatInstant(segments.back().span.end),
        ran > 0.0 ? paid / ran : 0.0, explanation_.unit, seen > 0.0 ? mean / seen : 0.0);
    const Explanation::Alternative* nearest = nullptr;
    for (const auto& alternative : explanation_.alternatives) {
      if (!alternative.feasible) continue;
      if (nearest == nullptr || alternative.extra < nearest->extra) nearest = &alternative;
    }
    if (nearest == nullptr) {
      explanation_.summary += " No simple alternative keeps its deadline.";
    } else {
      explanation_.summary +=
          fmt::format(" The nearest simple alternative, {}, would take {:.4g} {} {}.", nearest->what,
                      std::abs(nearest->extra), explanation_.unit, nearest->extra >= 0.0 ? "more" : "less");
    }
  }

  const Scenario& scenario_;
  const PlanRequest& request_;
  const plan::Planned& planned_;
  std::size_t job_;
  const scenario::Job& facts_;
  plan::Plan base_;
  plan::Score base_score_;
  Explanation explanation_;
};

}  // namespace

Result<Explanation> Explain(const Scenario& scenario, const PlanRequest& request, const plan::PlanAnswer& answer,
                            const std::string& job) {
  const auto found = std::ranges::find(scenario.jobs, job, &scenario::Job::id);
  if (found == scenario.jobs.end()) {
    return Fail(ErrorCode::kInvalidArgument, "job", "there is no job " + job, "an id of the jobs file");
  }
  if (!answer.outcome.planned) return Fail(ErrorCode::kInfeasible, "job", "there is no plan to explain");
  const auto index = static_cast<std::size_t>(found - scenario.jobs.begin());
  // Other jobs that miss their deadlines make no alternative infeasible.
  const Scenario kept = KeptBy(scenario, answer.outcome);
  PlanRequest asked = request;
  if (!answer.outcome.missed.empty()) asked.limits.finish_best_effort = false;
  Explanation explanation = Explainer(kept, asked, *answer.outcome.planned, index).Tell();
  const auto miss = std::ranges::find(answer.outcome.missed, index, &plan::Miss::job);
  if (miss == answer.outcome.missed.end()) return explanation;
  const std::string late = miss->late ? fmt::format("is {} late", InWords(*miss->late)) : "is not done";
  const std::string told = miss->late ? " " + explanation.summary : "";
  explanation.summary = fmt::format("{} {}: {}.{}", job, late, miss->reason, told);
  return explanation;
}

}  // namespace heliostat::planner
