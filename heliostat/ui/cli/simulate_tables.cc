#include "heliostat/ui/cli/simulate_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "heliostat/control/sim/verdict.h"

namespace heliostat::cli {
namespace {

// One column of a table, in the document and in the CSV file.
template <typename Row>
struct TableColumn {
  std::string name;
  std::function<double(const Row&)> value;
};

struct SlotRow {
  const account::Balance& balance;
  const sim::Draw& draw;
};

// Energy, carbon and cost of a slot. `cost` is the name of the column of the cost.
std::vector<TableColumn<SlotRow>> SlotColumns(const std::string& cost) {
  const auto drawn = [](Joules sim::Draw::*part) {
    return [part](const SlotRow& row) { return InKilowattHours(row.draw.*part); };
  };
  return {{"facility_kwh", [](const SlotRow& row) { return InKilowattHours(row.balance.facility); }},
          {"grid_kwh", [](const SlotRow& row) { return InKilowattHours(row.balance.grid); }},
          {"renewable_used_kwh", [](const SlotRow& row) { return InKilowattHours(row.balance.renewable_used); }},
          {"carbon_kg", [](const SlotRow& row) { return InKilograms(row.balance.carbon); }},
          {cost, [](const SlotRow& row) { return row.balance.cost; }},
          {"it_kwh", [](const SlotRow& row) { return InKilowattHours(row.balance.it); }},
          {"it_training_kwh", drawn(&sim::Draw::training)},
          {"it_serving_kwh", drawn(&sim::Draw::serving)},
          {"it_idle_gpus_kwh", drawn(&sim::Draw::idle)},
          {"it_nodes_up_kwh", drawn(&sim::Draw::base)},
          {"it_nodes_asleep_kwh", drawn(&sim::Draw::sleep)},
          {"it_wake_ups_kwh", drawn(&sim::Draw::wake)}};
}

io::Json SlotsOf(const scenario::Scenario& scenario, const sim::SimulatedRun& run) {
  const auto columns = SlotColumns("cost");
  io::Json::Array slots;
  for (std::size_t t = 0; t < run.slots.size(); ++t) {
    io::Json slot;
    slot.Set("time", FormatInstant(scenario.SlotSpan(t).begin));
    for (const auto& column : columns) slot.Set(column.name, column.value({run.slots[t], run.draws[t]}));
    io::Json on = io::Json(io::Json::Object{});
    for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
      on.Set(scenario.groups[g].name, static_cast<double>(run.nodes_up[g][t]));
    }
    slot.Set("nodes_on", std::move(on));
    slots.push_back(std::move(slot));
  }
  return slots;
}

io::Json OrNull(const std::optional<double>& value) { return value ? io::Json(*value) : io::Json(nullptr); }
io::Json OrNull(const std::optional<Instant>& time) {
  return time ? io::Json(FormatInstant(*time)) : io::Json(nullptr);
}

bool IsInTime(const scenario::Job& job, const sim::JobRun& run) { return run.finish && *run.finish <= *job.deadline; }

double ShareDone(const scenario::Job& job, const sim::JobRun& run) {
  if (run.finish || !(job.samples > 0.0)) return 1.0;
  return std::min(1.0, run.samples_done / job.samples);
}

io::Json SegmentsOf(const scenario::Scenario& scenario, const scenario::Job& job, const sim::JobRun& run) {
  io::Json::Array segments;
  for (const plan::Segment& segment : run.plan.segments) {
    const scenario::Group& group = scenario.groups[segment.group];
    const scenario::TrainingPoint& point = scenario.training.Of(job.model, group.gpu)[segment.point];
    io::Json json;
    json.Set("start", FormatInstant(segment.span.begin))
        .Set("end", FormatInstant(segment.span.end))
        .Set("group", group.name)
        .Set("workers", point.workers)
        .Set("core_mhz", OrNull(point.knob.core_mhz))
        .Set("power_limit_w", OrNull(point.knob.power_limit_w));
    segments.push_back(std::move(json));
  }
  return segments;
}

io::Json JobsOf(const scenario::Scenario& scenario, const sim::SimulatedRun& run) {
  io::Json::Array jobs;
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const scenario::Job& job = scenario.jobs[j];
    const sim::JobRun& done = run.jobs[j];
    io::Json json;
    json.Set("id", job.id)
        .Set("finish", OrNull(done.finish))
        .Set("deadline_met", job.deadline ? io::Json(IsInTime(job, done)) : io::Json(nullptr))
        .Set("samples_done_share", ShareDone(job, done))
        .Set("it_energy_kwh", InKilowattHours(done.energy))
        .Set("starts", done.starts)
        .Set("interruptions", done.interruptions)
        .Set("segments", SegmentsOf(scenario, job, done));
    jobs.push_back(std::move(json));
  }
  return jobs;
}

io::Json ServicesOf(const scenario::Scenario& scenario, const sim::SimulatedRun& run) {
  io::Json::Array services;
  for (std::size_t s = 0; s < run.services.size(); ++s) {
    const sim::ServiceRun& served = run.services[s];
    io::Json json;
    json.Set("id", scenario.services[s].id)
        .Set("requests", served.requests)
        .Set("late_requests", served.violated)
        .Set("late_share_allowed", 1.0 - scenario.services[s].percentile);
    services.push_back(std::move(json));
  }
  return services;
}

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

// A name as a field of a CSV file, quoted where it must be.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string CostColumn(const scenario::Scenario& scenario) { return "cost_" + Lowered(scenario.currency.code()); }

std::string SlotsCsv(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  const auto columns = SlotColumns(CostColumn(scenario));
  std::string text = "policy,time";
  for (const auto& column : columns) text += "," + column.name;
  for (const scenario::Group& group : scenario.groups) text += "," + Field("nodes_on_" + group.name);
  text += "\n";
  for (const sim::SimulatedRun& run : comparison.runs) {
    for (std::size_t t = 0; t < run.slots.size(); ++t) {
      text += fmt::format("{},{}", run.policy, FormatInstant(scenario.SlotSpan(t).begin));
      for (const auto& column : columns) text += fmt::format(",{}", column.value({run.slots[t], run.draws[t]}));
      for (std::size_t g = 0; g < scenario.groups.size(); ++g) text += fmt::format(",{}", run.nodes_up[g][t]);
      text += "\n";
    }
  }
  return text;
}

std::string TimeOrNone(const std::optional<Instant>& time) { return time ? FormatInstant(*time) : ""; }

std::string JobsCsv(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  std::string text =
      "policy,id,model,submit,deadline,first_start,finish,deadline_met,samples_done_share,it_energy_kwh,running_h,"
      "starts,interruptions\n";
  for (const sim::SimulatedRun& run : comparison.runs) {
    for (std::size_t j = 0; j < run.jobs.size(); ++j) {
      const scenario::Job& job = scenario.jobs[j];
      const sim::JobRun& done = run.jobs[j];
      Duration running{0};
      for (const plan::Segment& segment : done.plan.segments) running += segment.span.length();
      std::optional<Instant> began;
      if (!done.plan.segments.empty()) began = done.plan.segments.front().span.begin;
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.policy, Field(job.id), Field(job.model),
                      FormatInstant(job.submit), TimeOrNone(job.deadline), TimeOrNone(began), TimeOrNone(done.finish),
                      job.deadline ? (IsInTime(job, done) ? "1" : "0") : "", ShareDone(job, done),
                      InKilowattHours(done.energy), Seconds(running).count() / 3600.0, done.starts, done.interruptions);
    }
  }
  return text;
}

std::vector<TableColumn<sim::Figures>> PolicyColumns(const std::string& cost) {
  using sim::Figures;
  const auto count = [](auto Figures::*member) {
    return [member](const Figures& f) { return static_cast<double>(f.*member); };
  };
  return {{"carbon_kg", count(&Figures::carbon_kg)},
          {cost, count(&Figures::cost)},
          {"energy_kwh", count(&Figures::energy_kwh)},
          {"grid_kwh", count(&Figures::grid_kwh)},
          {"renewable_used_kwh", count(&Figures::renewable_used_kwh)},
          {"performance", count(&Figures::performance)},
          {"jobs_total", count(&Figures::jobs_total)},
          {"jobs_completed", count(&Figures::jobs_completed)},
          {"deadline_misses", count(&Figures::deadline_misses)},
          {"jobs_late_or_undone", count(&Figures::jobs_late_or_undone)},
          {"requests_total", count(&Figures::requests_total)},
          {"late_requests_share", count(&Figures::slo_violation_fraction)},
          {"services_broken", count(&Figures::services_broken)},
          {"mean_completion_s", count(&Figures::mean_completion_s)},
          {"p95_completion_s", count(&Figures::p95_completion_s)},
          {"wake_ups", count(&Figures::wake_ups)},
          {"idle_node_hours", count(&Figures::idle_node_hours)}};
}

std::string PoliciesCsv(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  const auto columns = PolicyColumns(CostColumn(scenario));
  const sim::Verdict verdict = sim::Judge(comparison.figures);
  std::string text = "policy,eligible,winner";
  for (const auto& column : columns) text += "," + column.name;
  text += "\n";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    text +=
        fmt::format("{},{:d},{:d}", comparison.runs[i].policy, verdict.policies[i].is_eligible(), verdict.winner == i);
    for (const auto& column : columns) text += fmt::format(",{}", column.value(comparison.figures[i]));
    text += "\n";
  }
  return text;
}

}  // namespace

void AddDetails(const scenario::Scenario& scenario, const sim::SimulatedRun& run, io::Json& policy) {
  policy.Set("slots", SlotsOf(scenario, run))
      .Set("jobs", JobsOf(scenario, run))
      .Set("services", ServicesOf(scenario, run));
}

std::vector<OutputFile> TableFiles(const std::string& folder) {
  std::vector<OutputFile> files;
  if (folder.empty()) return files;
  for (const char* name : {"policies.csv", "slots.csv", "jobs.csv"}) {
    files.push_back({"--csv", (std::filesystem::absolute(folder) / name).lexically_normal(), "", true});
  }
  return files;
}

void FillTables(const scenario::Scenario& scenario, const sim::Comparison& comparison, std::vector<OutputFile>& files) {
  if (files.empty()) return;
  files[0].text = PoliciesCsv(scenario, comparison);
  files[1].text = SlotsCsv(scenario, comparison);
  files[2].text = JobsCsv(scenario, comparison);
}

}  // namespace heliostat::cli
