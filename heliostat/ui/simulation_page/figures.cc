#include "heliostat/ui/simulation_page/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::simulation_page {
namespace {

using report::Colour;
using report::Pen;

constexpr std::size_t kFewPolicies = 6;
constexpr std::size_t kMostSteps = 680;        // a week of quarter hours
constexpr std::size_t kMostStepsOfMany = 340;  // two weeks of hours
constexpr double kLatencyShown = 2.5;          // times the latency objective: the end of the axis

template <typename Values, typename Number>
std::vector<double> Collected(const PageView& view, const Values& values, Number number) {
  std::vector<double> all;
  all.reserve(values.size());
  for (const auto& value : values) all.push_back(number(value));
  return Thinned(all, view.bucket);
}

bool HasAny(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return value != 0.0; });
}

std::vector<double> CarbonOf(const PageView& view) {
  return Collected(view, view.scenario.carbon, [](CarbonIntensity c) { return InGramsPerKwh(c); });
}

// Adds a layer unless all its values are 0, which would only lengthen the legend.
void AddLayer(std::string label, std::vector<double> values, Texture texture, Panel& panel) {
  if (HasAny(values)) panel.stack.push_back({std::move(label), std::move(values), texture});
}

Panel DrawPanelOf(const PageView& view, const sim::SimulatedRun& run) {
  const double per_joule = view.scenario.pue / Seconds(view.scenario.step).count() / 1e3;  // to kW of the site
  Panel panel;
  panel.title = "Facility power";
  panel.unit = "kW";
  panel.height = 230;
  const auto add = [&](const char* label, Joules sim::Draw::*part, Texture texture) {
    AddLayer(label, Collected(view, run.draws, [&](const sim::Draw& d) { return (d.*part).value * per_joule; }),
             texture, panel);
  };
  add("nodes asleep", &sim::Draw::sleep, Texture::kCrossed);
  add("nodes up", &sim::Draw::base, Texture::kRuled);
  add("idle GPUs", &sim::Draw::idle, Texture::kDotted);
  add("waking nodes", &sim::Draw::wake, Texture::kUpright);
  add("serving", &sim::Draw::serving, Texture::kHatched);
  add("training", &sim::Draw::training, Texture::kPlain);
  auto sun = Collected(view, view.scenario.renewable, [](Watts power) { return InKilowatts(power); });
  if (HasAny(sun)) panel.curves.push_back({"renewable on site", std::move(sun), Colour::kGreen, Pen::kDashed});
  return panel;
}

Panel SourcePanelOf(const PageView& view, const sim::SimulatedRun& run) {
  const double per_joule = 1.0 / Seconds(view.scenario.step).count() / 1e3;
  Panel panel;
  panel.title = "Sources of power";
  panel.unit = "kW";
  panel.height = 90;
  AddLayer("renewable on site",
           Collected(view, run.slots, [&](const account::Balance& b) { return b.renewable_used.value * per_joule; }),
           Texture::kLeaning, panel);
  AddLayer("grid", Collected(view, run.slots, [&](const account::Balance& b) { return b.grid.value * per_joule; }),
           Texture::kDotted, panel);
  return panel;
}

// Latency per step in ms: missing without requests, infinite if no replica served them.
std::vector<double> LatencyOf(const PageView& view, const sim::ServiceRun& service, const std::vector<double>& rates) {
  std::vector<double> milliseconds;
  for (std::size_t slot = 0; slot < service.slots.size(); ++slot) {
    milliseconds.push_back(rates[slot] > 0.0 ? service.slots[slot].latency.count() * 1e3
                                             : std::numeric_limits<double>::quiet_NaN());
  }
  return Thinned(milliseconds, view.bucket);
}

std::string Effective(const sim::Figures& figures) {
  if (!(figures.energy_kwh > 0.0)) return "";
  return fmt::format("{} g/kWh", report::NumberText(1e3 * figures.carbon_kg / figures.energy_kwh));
}

}  // namespace

PageView ViewOf(const scenario::Scenario& scenario, const sim::Comparison& comparison) {
  const std::size_t most = comparison.runs.size() <= kFewPolicies ? kMostSteps : kMostStepsOfMany;
  return {scenario, comparison, std::max<std::size_t>(1, (scenario.slots + most - 1) / most)};
}

TimeFigure PowerFigure(const PageView& view, std::size_t run) {
  const sim::SimulatedRun& shown = view.comparison.runs[run];
  TimeFigure figure{
      fmt::format("power-{}", run), fmt::format("Power over time under {}", shown.policy), view.grid(), {}};
  Panel carbon;
  carbon.title = "Carbon intensity of the grid";
  carbon.unit = "g CO2e/kWh";
  carbon.height = 90;
  carbon.curves.push_back({"", CarbonOf(view), Colour::kVermilion});
  figure.panels.push_back(std::move(carbon));
  figure.panels.push_back(DrawPanelOf(view, shown));
  figure.panels.push_back(SourcePanelOf(view, shown));
  if (!view.scenario.price_per_kwh.empty()) {
    Panel price;
    price.title = "Price of the grid";
    price.unit = fmt::format("{}/kWh", view.scenario.currency.code());
    price.height = 70;
    price.curves.push_back({"", Thinned(view.scenario.price_per_kwh, view.bucket), Colour::kPink});
    figure.panels.push_back(std::move(price));
  }
  return figure;
}

StripFigure WorkFigure(const PageView& view) {
  StripFigure figure{"work", "When each policy ran its work", view.grid(), {}};
  figure.groups.push_back({"Grid carbon", "g CO2e/kWh", {{"grid", "", CarbonOf(view)}}, false, Ramp::kWarm});
  StripGroup training{"Training power", "kW", {}};
  const double per_joule = view.scenario.pue / Seconds(view.scenario.step).count() / 1e3;
  for (std::size_t i = 0; i < view.comparison.runs.size(); ++i) {
    const sim::SimulatedRun& run = view.comparison.runs[i];
    training.strips.push_back(
        {run.policy, Effective(view.comparison.figures[i]),
         Collected(view, run.draws, [&](const sim::Draw& d) { return d.training.value * per_joule; })});
  }
  figure.groups.push_back(std::move(training));
  return figure;
}

std::vector<std::size_t> ServicesShown(const scenario::Scenario& scenario, std::size_t most) {
  std::vector<std::size_t> order(scenario.services.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> requests;
  for (const scenario::Service& service : scenario.services) {
    requests.push_back(std::accumulate(service.requests_per_s.begin(), service.requests_per_s.end(), 0.0));
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return requests[a] > requests[b]; });
  order.resize(std::min(order.size(), most));
  return order;
}

TimeFigure LatencyFigure(const PageView& view, std::size_t run, const std::vector<std::size_t>& services) {
  const sim::SimulatedRun& shown = view.comparison.runs[run];
  TimeFigure figure{fmt::format("latency-{}", run), fmt::format("Latency under {}", shown.policy), view.grid(), {}};
  for (const std::size_t index : services) {
    const scenario::Service& service = view.scenario.services[index];
    const double slo_ms = service.latency_slo.count() * 1e3;
    Panel panel;
    panel.title = service.id;
    panel.unit = "ms";
    panel.height = 110;
    panel.ceiling = kLatencyShown * slo_ms;
    panel.curves.push_back({fmt::format("percentile {:g}", service.percentile * 100),
                            LatencyOf(view, shown.services[index], service.requests_per_s), Colour::kVermilion});
    std::vector<double> median = shown.services[index].p50_s;
    for (double& value : median) value *= 1e3;
    panel.curves.push_back({"median", Thinned(median, view.bucket), Colour::kBlue, Pen::kThin});
    panel.curves.push_back({"promised", std::vector<double>(view.grid().size(), slo_ms), Colour::kGrey, Pen::kDashed});
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

std::vector<Scatter> TradeOffs(const PageView& view) {
  Scatter performance{"Carbon against performance",
                      "kg CO2e",
                      fmt::format("performance, {}", report::PerformanceUnit(view.scenario)),
                      true,
                      {}};
  Scatter waiting{"Carbon against waiting", "kg CO2e", "mean hours from submission to completion", false, {}};
  for (std::size_t i = 0; i < view.comparison.runs.size(); ++i) {
    const sim::Figures& figures = view.comparison.figures[i];
    const std::string& name = view.comparison.runs[i].policy;
    performance.spots.push_back({name, figures.carbon_kg, figures.performance});
    if (figures.jobs_completed > 0) {
      waiting.spots.push_back({name, figures.carbon_kg, figures.mean_completion_s / 3600.0});
    }
  }
  const sim::Bound& bound = view.comparison.bound;
  if (bound.carbon_kg > 0.0) performance.marks.push_back({"no policy can emit less", bound.carbon_kg});
  if (bound.planned_carbon_kg) performance.marks.push_back({"plan with perfect knowledge", *bound.planned_carbon_kg});
  waiting.marks = performance.marks;
  std::vector<Scatter> all{std::move(performance)};
  if (!waiting.spots.empty()) all.push_back(std::move(waiting));
  return all;
}

}  // namespace heliostat::simulation_page
