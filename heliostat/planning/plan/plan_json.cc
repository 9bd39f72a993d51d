#include "heliostat/planning/plan/plan_json.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {
namespace {

using io::Json;

// JSON has no infinity and no NaN: null instead.
Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json OrNull(const std::optional<double>& value) { return value ? Finite(*value) : Json(nullptr); }

void SetBalance(Json& json, const account::Balance& balance) {
  json.Set("carbon_kg", Finite(InKilograms(balance.carbon)));
  json.Set("cost", Finite(balance.cost));
  json.Set("energy_kwh", Finite(InKilowattHours(balance.facility)));
  json.Set("grid_kwh", Finite(InKilowattHours(balance.grid)));
  json.Set("renewable_used_kwh", Finite(InKilowattHours(balance.renewable_used)));
}

Json SlotToJson(const scenario::Scenario& scenario, const Planned& planned, std::size_t slot) {
  const account::Balance& balance = planned.score.slots[slot];
  Json json;
  json.Set("time", FormatInstant(scenario.SlotSpan(slot).begin));
  json.Set("it_kw", Finite(InKilowatts(balance.it / Seconds(scenario.step))));
  json.Set("facility_kwh", Finite(InKilowattHours(balance.facility)));
  json.Set("grid_kwh", Finite(InKilowattHours(balance.grid)));
  json.Set("renewable_used_kwh", Finite(InKilowattHours(balance.renewable_used)));
  json.Set("carbon_kg", Finite(InKilograms(balance.carbon)));
  json.Set("cost", Finite(balance.cost));
  Json on = Json(Json::Object{});
  for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
    on.Set(scenario.groups[group].name, planned.plan.nodes_on[group][slot]);
  }
  json.Set("nodes_on", std::move(on));
  return json;
}

Json SegmentToJson(const scenario::Scenario& scenario, const Segment& segment, const scenario::TrainingPoint& point) {
  Json json;
  json.Set("start", FormatInstant(segment.span.begin));
  json.Set("end", FormatInstant(segment.span.end));
  json.Set("group", scenario.groups[segment.group].name);
  json.Set("workers", point.workers);
  json.Set("core_mhz", OrNull(point.knob.core_mhz));
  json.Set("power_limit_w", OrNull(point.knob.power_limit_w));
  return json;
}

Json HoldToJson(const Hold& hold) {
  Json json;
  json.Set("start", FormatInstant(hold.span.begin));
  json.Set("end", FormatInstant(hold.span.end));
  json.Set("node", hold.node);
  json.Set("gpus", hold.gpus);
  return json;
}

Json JobToJson(const scenario::Scenario& scenario, const scenario::Job& job, const JobPlan& plan,
               const std::vector<const Hold*>& holds) {
  const TrainingTable table(scenario, job.model);
  const std::vector<ProgressSpan> pieces = PiecesOf(table, job, plan);
  const std::optional<Instant> finish = FinishOf(job, pieces);
  double samples = 0.0;
  for (const ProgressSpan& piece : pieces) samples += piece.samples();
  Json json;
  json.Set("id", job.id);
  json.Set("finish", finish ? Json(FormatInstant(*finish)) : Json(nullptr));
  json.Set("deadline_met", job.deadline ? Json(finish && *finish <= *job.deadline) : Json(nullptr));
  json.Set("samples_done_share", job.samples > 0.0 ? Finite(std::min(1.0, samples / job.samples)) : Json(1.0));
  Json::Array segments;
  for (const Segment& segment : plan.segments) {
    segments.push_back(SegmentToJson(scenario, segment, table.At(segment)));
  }
  json.Set("segments", std::move(segments));
  Json::Array nodes;
  for (const Hold* hold : holds) nodes.push_back(HoldToJson(*hold));
  json.Set("nodes", std::move(nodes));
  return json;
}

Json ServiceSlotToJson(const scenario::Scenario& scenario, const std::string& model, std::size_t slot,
                       const ServiceSlot& how) {
  const scenario::Group& group = scenario.groups[how.group];
  const auto& points = scenario.inference.Of(model, group.gpu);
  // A service without replicas may have a point that does not exist.
  const bool known = how.point < points.size();
  Json json;
  json.Set("time", FormatInstant(scenario.SlotSpan(slot).begin));
  json.Set("group", group.name);
  json.Set("replicas", how.replicas);
  json.Set("core_mhz", known ? OrNull(points[how.point].knob.core_mhz) : Json(nullptr));
  json.Set("power_limit_w", known ? OrNull(points[how.point].knob.power_limit_w) : Json(nullptr));
  json.Set("batch", known ? Json(points[how.point].batch) : Json(nullptr));
  json.Set("utilisation", Finite(how.utilisation));
  json.Set("latency_ms", Finite(how.latency.count() * 1e3));
  return json;
}

Json ServiceToJson(const scenario::Scenario& scenario, const scenario::Service& service, const ServicePlan& plan) {
  Json json;
  json.Set("id", service.id);
  Json::Array slots;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    slots.push_back(ServiceSlotToJson(scenario, service.model, slot, plan.slots[slot]));
  }
  json.Set("slots", std::move(slots));
  return json;
}

void SetLists(Json& json, const scenario::Scenario& scenario, const Planned& planned) {
  Json::Array slots;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) slots.push_back(SlotToJson(scenario, planned, slot));
  json.Set("slots", std::move(slots));
  std::vector<std::vector<const Hold*>> holds(planned.plan.jobs.size());
  for (const Hold& hold : planned.plan.holds) holds[hold.job].push_back(&hold);
  for (auto& of_job : holds) {
    std::sort(of_job.begin(), of_job.end(), [](const Hold* a, const Hold* b) {
      return std::tie(a->span.begin, a->node) < std::tie(b->span.begin, b->node);
    });
  }
  Json::Array jobs;
  for (std::size_t i = 0; i < planned.plan.jobs.size(); ++i) {
    jobs.push_back(JobToJson(scenario, scenario.jobs[i], planned.plan.jobs[i], holds[i]));
  }
  json.Set("jobs", std::move(jobs));
  Json::Array services;
  for (std::size_t i = 0; i < planned.plan.services.size(); ++i) {
    services.push_back(ServiceToJson(scenario, scenario.services[i], planned.plan.services[i]));
  }
  json.Set("services", std::move(services));
}

Json MissesToJson(const scenario::Scenario& scenario, const std::vector<Miss>& missed) {
  Json::Array rows;
  for (const Miss& miss : missed) {
    Json row;
    row.Set("id", scenario.jobs[miss.job].id);
    row.Set("late_s", miss.late ? Json(static_cast<std::int64_t>(miss.late->count())) : Json(nullptr));
    rows.push_back(std::move(row.Set("reason", miss.reason)));
  }
  return Json(std::move(rows));
}

}  // namespace

Json ToJson(const scenario::Scenario& scenario, const PlanAnswer& answer) {
  const Outcome& outcome = answer.outcome;
  Json json;
  json.Set("scenario", scenario.name);
  json.Set("objective", answer.objective);
  json.Set("solver", answer.solver);
  json.Set("status", NameOf(outcome.status));
  if (outcome.planned) {
    const Score& score = outcome.planned->score;
    SetBalance(json, score.total);
    json.Set("currency", scenario.currency.code());
    json.Set("performance", Finite(score.performance));
    json.Set("ppc", Finite(score.ppc()));
    json.Set("bound", Finite(outcome.bound));
    json.Set("gap", Finite(outcome.gap()));
  }
  json.Set("solve_s", Finite(answer.solve_s));
  json.Set("time_decided", outcome.time_decided).Set("rounds_decided", outcome.rounds_decided);
  if (outcome.planned) json.Set("wake_ups", outcome.planned->score.wake_ups);
  if (!outcome.planned || !outcome.reason.empty()) json.Set("reason", outcome.reason);
  if (outcome.status == Termination::kBestEffort) {
    json.Set("missed", MissesToJson(scenario, outcome.missed));
    json.Set("least_misses", outcome.least_misses);
  }
  if (outcome.planned) SetLists(json, scenario, *outcome.planned);
  return json;
}

}  // namespace heliostat::plan
