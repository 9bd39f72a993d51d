#include "heliostat/ui/report/plan_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "heliostat/planning/plan/progress.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

constexpr double kAxisRoom = 48;  // wide enough for most numbers, so that the time axes of all charts align

LineChart Chart(std::string title, std::string unit, double height) {
  LineChart chart;
  chart.title = std::move(title);
  chart.unit = std::move(unit);
  chart.height = height;
  chart.axis_room = kAxisRoom;
  return chart;
}

// One value per slot, drawn as steps.
Line Steps(const scenario::Scenario& scenario, std::string label, const std::vector<double>& values, Colour colour,
           Pen pen = Pen::kSolid) {
  Line line{std::move(label), {}, {}, colour, pen};
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const Interval span = scenario.SlotSpan(slot);
    line.x.push_back(static_cast<double>(span.begin.time_since_epoch().count()));
    line.x.push_back(static_cast<double>(span.end.time_since_epoch().count()));
    line.y.insert(line.y.end(), 2, values[slot]);
  }
  return line;
}

// Adds a band of `values` on top of `stack`, and adds `values` to `stack`.
void Stack(const scenario::Scenario& scenario, std::string label, const std::vector<double>& values, Colour colour,
           std::vector<double>& stack, LineChart& chart) {
  const Line below = Steps(scenario, "", stack, colour);
  for (std::size_t slot = 0; slot < values.size(); ++slot) stack[slot] += values[slot];
  Line above = Steps(scenario, "", stack, colour);
  chart.bands.push_back({std::move(label), above.x, below.y, above.y, colour});
  chart.lines.push_back(std::move(above));
}

template <typename T>
bool HasAny(const std::vector<T>& values) {
  return std::ranges::any_of(values, [](const T& value) { return value != T{}; });
}

// The `most` jobs with the most energy: first those that run, in the order of their start, then the others.
std::vector<std::size_t> JobsToDraw(const PlanView& view, std::size_t most) {
  const auto& jobs = view.figures.jobs;
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return jobs[a].energy > jobs[b].energy; });
  order.resize(std::min(order.size(), most));
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const Instant end = view.scenario.end();
    return std::pair(jobs[a].begin.value_or(end), a) < std::pair(jobs[b].begin.value_or(end), b);
  });
  return order;
}

GanttRow RowOf(const PlanView& view, std::size_t job, const std::vector<int>& worker_counts, std::size_t linked) {
  const scenario::Job& who = view.scenario.jobs[job];
  GanttRow row{who.id, Interval{who.submit, who.deadline.value_or(view.scenario.end())}, {}};
  if (job < linked) row.link = JobRowId(job);
  const plan::TrainingTable table(view.scenario, who.model);
  for (const plan::Segment& segment : view.plan().jobs[job].segments) {
    const scenario::TrainingPoint& point = table.At(segment);
    const auto shade = std::ranges::lower_bound(worker_counts, point.workers) - worker_counts.begin();
    row.bars.push_back({segment.span, static_cast<std::size_t>(shade),
                        fmt::format("{}: {} in {}, {} UTC", who.id, SettingText(point.workers, point.knob),
                                    view.scenario.groups[segment.group].name, ShortSpan(segment.span))});
  }
  return row;
}

std::vector<int> WorkerCounts(const PlanView& view, const std::vector<std::size_t>& jobs) {
  std::set<int> counts;
  for (const std::size_t job : jobs) {
    const plan::TrainingTable table(view.scenario, view.scenario.jobs[job].model);
    for (const plan::Segment& segment : view.plan().jobs[job].segments) counts.insert(table.At(segment).workers);
  }
  return {counts.begin(), counts.end()};
}

// Figures of a service, one per slot; missing where it has no replicas.
struct ServiceCurves {
  std::vector<double> replicas;
  std::vector<double> core_mhz;
  std::vector<double> power_limit_w;
  std::vector<double> latency_ms;
};

ServiceCurves CurvesOf(const PlanView& view, std::size_t service) {
  const scenario::Service& who = view.scenario.services[service];
  ServiceCurves curves;
  for (const plan::ServiceSlot& how : view.plan().services[service].slots) {
    curves.replicas.push_back(how.replicas);
    const auto& points = view.scenario.inference.Of(who.model, view.scenario.groups[how.group].gpu);
    const bool serves = how.replicas > 0 && how.point < points.size();
    const scenario::GpuSetting knob = serves ? points[how.point].knob : scenario::GpuSetting{};
    curves.core_mhz.push_back(knob.core_mhz.value_or(signal::Missing()));
    curves.power_limit_w.push_back(knob.power_limit_w.value_or(signal::Missing()));
    curves.latency_ms.push_back(serves ? how.latency.count() * 1e3 : signal::Missing());
  }
  return curves;
}

bool IsKnownSomewhere(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return !signal::IsMissing(value); });
}

}  // namespace

LineChart PowerChart(const PlanView& view) {
  const PlanFigures& figures = view.figures;
  LineChart chart = Chart("Facility power", "kW", 320);
  chart.from_zero = true;
  std::vector<double> stack(view.scenario.slots, 0.0);
  Stack(view.scenario, "nodes and idle GPUs", figures.standing_kw, Colour::kGrey, stack, chart);
  if (HasAny(figures.serving_kw)) Stack(view.scenario, "services", figures.serving_kw, Colour::kAmber, stack, chart);
  if (HasAny(figures.training_kw)) Stack(view.scenario, "training", figures.training_kw, Colour::kBlue, stack, chart);
  if (figures.renewable_kwh > 0.0) {
    chart.lines.push_back(
        Steps(view.scenario, "renewable on site", figures.renewable_kw, Colour::kGreen, Pen::kDashed));
  }
  return chart;
}

std::vector<LineChart> SignalCharts(const PlanView& view) {
  std::vector<double> carbon;
  for (const CarbonIntensity intensity : view.scenario.carbon) carbon.push_back(InGramsPerKwh(intensity));
  std::vector<LineChart> charts{Chart("Carbon intensity of the grid", "g CO2e/kWh", 170)};
  charts.back().lines.push_back(Steps(view.scenario, "", carbon, Colour::kVermilion));
  if (view.scenario.price_per_kwh.empty()) return charts;
  charts.push_back(Chart("Price", fmt::format("{}/kWh", view.scenario.currency.code()), 170));
  charts.back().lines.push_back(Steps(view.scenario, "", view.scenario.price_per_kwh, Colour::kPink));
  return charts;
}

LineChart NodesChart(const PlanView& view) {
  LineChart chart = Chart("Nodes on", "", 200);
  chart.from_zero = true;
  for (std::size_t g = 0; g < view.scenario.groups.size(); ++g) {
    const std::vector<double> on(view.plan().nodes_on[g].begin(), view.plan().nodes_on[g].end());
    const scenario::Group& group = view.scenario.groups[g];
    // There are six colours; further groups repeat them, dashed.
    chart.lines.push_back(Steps(view.scenario, fmt::format("{} (of {})", group.name, group.nodes), on,
                                static_cast<Colour>(g % kColours), g < kColours ? Pen::kSolid : Pen::kDashed));
  }
  return chart;
}

GanttChart JobsChart(const PlanView& view, std::size_t most, std::size_t linked) {
  const std::vector<std::size_t> jobs = JobsToDraw(view, most);
  const std::vector<int> counts = WorkerCounts(view, jobs);
  GanttChart chart;
  chart.title = "Jobs";
  chart.shade_name = "workers";
  for (const int count : counts) chart.shades.push_back(fmt::format("{}", count));
  chart.span = view.scenario.horizon();
  chart.label_room = kAxisRoom;
  for (const std::size_t job : jobs) chart.rows.push_back(RowOf(view, job, counts, linked));
  return chart;
}

std::vector<LineChart> ServiceCharts(const PlanView& view, std::size_t service) {
  const scenario::Scenario& scenario = view.scenario;
  const scenario::Service& who = scenario.services[service];
  const ServiceCurves curves = CurvesOf(view, service);
  std::vector<LineChart> charts{Chart("Requests", "per second", 150), Chart("Replicas", "", 150)};
  charts[0].lines.push_back(Steps(scenario, "", who.requests_per_s, Colour::kGrey));
  charts[1].lines.push_back(Steps(scenario, "", curves.replicas, Colour::kAmber));
  const auto add = [&](const char* title, const char* unit, const std::vector<double>& values, Colour colour) {
    if (!IsKnownSomewhere(values)) return;
    charts.push_back(Chart(title, unit, 150));
    charts.back().lines.push_back(Steps(scenario, "", values, colour));
  };
  add("Core clock", "MHz", curves.core_mhz, Colour::kBlue);
  add("Power limit", "W", curves.power_limit_w, Colour::kBlue);
  add("Latency", "ms", curves.latency_ms, Colour::kVermilion);
  if (charts.back().title == "Latency") {
    const std::vector<double> slo(scenario.slots, who.latency_slo.count() * 1e3);
    charts.back().lines.front().label = fmt::format("percentile {:g}", who.percentile * 100);
    charts.back().lines.push_back(Steps(scenario, "SLO", slo, Colour::kGrey, Pen::kDashed));
  }
  for (LineChart& chart : charts) chart.from_zero = true;
  return charts;
}

}  // namespace heliostat::report
