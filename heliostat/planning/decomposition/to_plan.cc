#include "heliostat/planning/decomposition/to_plan.h"

#include <algorithm>
#include <utility>

#include "heliostat/planning/plan/nodes.h"
#include "heliostat/planning/plan/placement.h"

namespace heliostat::decomposition {
namespace {

// Where energy is free, a node that is on still costs a little more than one asleep.
constexpr double kLeastPrice = 1e-6;

void Append(std::vector<plan::Segment>& segments, const plan::Segment& next) {
  if (next.span.empty()) return;
  if (!segments.empty() && segments.back().span.end == next.span.begin && segments.back().point == next.point) {
    segments.back().span.end = next.span.end;
  } else {
    segments.push_back(next);
  }
}

plan::ServicePlan ServicePlanOf(const DraftPlan& draft, std::size_t service) {
  plan::ServicePlan plan;
  const auto& slots = draft.model().services[service];
  for (std::size_t t = 0; t < slots.size(); ++t) {
    const std::size_t chosen = draft.OptionOf(service, t);
    if (chosen == kNoOption) {
      plan.slots.emplace_back();
      continue;
    }
    const serving::ServingOption& way = slots[t][chosen];
    plan.slots.push_back({way.group, way.point, way.replicas, way.utilisation, way.latency});
  }
  return plan;
}

// [slot]: the cost of one more facility kWh on this draft.
std::vector<double> MarginalPrices(const DraftPlan& draft) {
  std::vector<double> prices;
  for (std::size_t t = 0; t < draft.model().slots; ++t) {
    const SlotTariff& tariff = draft.model().tariffs[t];
    prices.push_back(tariff.cheap + (draft.Kwh(t) >= tariff.free_kwh ? tariff.dear : 0.0));
  }
  return prices;
}

}  // namespace

plan::JobPlan SegmentsOf(const scenario::Scenario& scenario, const JobModel& job, const Schedule& schedule) {
  plan::JobPlan plan;
  if (schedule.pieces.empty()) return plan;
  const Choice& choice = job.choices[schedule.choice];
  for (const SlotPiece& piece : schedule.pieces) {
    const WorkerLevel& level = choice.levels[piece.level];
    const Instant slot = scenario.SlotSpan(piece.slot).begin;
    const Instant begin = slot + Duration(piece.begin);
    const Instant end = slot + Duration(piece.end);
    const Instant turn = end - Duration(piece.slower);
    const Instant ready = begin + Duration(piece.lost);
    Append(plan.segments, {{begin, ready}, choice.group, level.hull.front().point});
    Append(plan.segments, {{ready, turn}, choice.group, level.hull[piece.vertex].point});
    if (piece.slower > 0) Append(plan.segments, {{turn, end}, choice.group, level.hull[piece.vertex - 1].point});
  }
  return plan;
}

plan::Plan ToPlan(const scenario::Scenario& scenario, const DraftPlan& draft) {
  const Model& model = draft.model();
  plan::Plan plan;
  for (std::size_t j = 0; j < model.jobs.size(); ++j) {
    plan.jobs.push_back(SegmentsOf(scenario, model.jobs[j], draft.ScheduleOf(j)));
  }
  for (std::size_t s = 0; s < model.services.size(); ++s) plan.services.push_back(ServicePlanOf(draft, s));
  const std::vector<double> prices = MarginalPrices(draft);
  std::vector<std::vector<double>> costs;  // of a node on, [group][slot]
  for (const GroupModel& group : model.groups) {
    auto& mine = costs.emplace_back();
    for (const double price : prices) mine.push_back(std::max(price, kLeastPrice) * group.on_kwh);
  }
  plan::Placement placement = plan::Place(scenario, plan, costs);
  plan.holds = std::move(placement.holds);
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const GroupModel& group = model.groups[g];
    if (!model.right_sizing) {
      plan.nodes_on.emplace_back(model.slots, group.nodes);
      continue;
    }
    plan::NodeCosts keep;
    for (const double price : prices) {
      keep.idle.push_back(price * group.on_kwh);
      keep.wake_up.push_back(price * group.wake_kwh);
    }
    plan.nodes_on.push_back(plan::KeepOn(placement.nodes_needed[g], {group.nodes, group.up}, keep));
  }
  return plan;
}

}  // namespace heliostat::decomposition
