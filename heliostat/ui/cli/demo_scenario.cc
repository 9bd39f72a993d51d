#include "heliostat/ui/cli/demo_scenario.h"

#include <fmt/format.h>

#include <numeric>

#include "heliostat/control/sim/rehearsal.h"
#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::cli {
namespace {

constexpr std::chrono::weeks kPast{8};  // the history that forecasts learn from

struct Site {
  std::string zone;
  std::uint64_t seed;

  Result<signal::StepSeries> Trace(synthetic::TraceKind trace, const Interval& span, Duration step) const {
    auto made = synthetic::Generate({.zone = zone, .trace = trace, .interval = span, .step = step, .seed = seed});
    if (!made) return Propagate(made);
    return made->series;
  }
};

// The solar power before the week, in kW. The recipe sizes the plant; its size follows from its power in the week.
Result<signal::StepSeries> SunBefore(const Site& site, const scenario::Scenario& scenario, const Interval& before) {
  const auto share = site.Trace(synthetic::TraceKind::kSolar, scenario.horizon(), scenario.step);
  if (!share) return Propagate(share);
  const double shares = std::accumulate(share->values().begin(), share->values().end(), 0.0);
  double kilowatts = 0.0;
  for (const Watts power : scenario.renewable) kilowatts += InKilowatts(power);
  const auto past = site.Trace(synthetic::TraceKind::kSolar, before, scenario.step);
  if (!past) return Propagate(past);
  std::vector<double> values = past->values();
  for (double& value : values) value *= shares > 0.0 ? kilowatts / shares : 0.0;
  return signal::StepSeries::Make(before.begin, scenario.step, std::move(values));
}

Result<scenario::Past> PastOf(const Site& site, const scenario::Scenario& scenario) {
  const Interval before{scenario.start - kPast, scenario.start};
  auto carbon = site.Trace(synthetic::TraceKind::kCarbon, before, scenario.step);
  if (!carbon) return Propagate(carbon);
  auto price = site.Trace(synthetic::TraceKind::kPrice, before, scenario.step);
  if (!price) return Propagate(price);
  auto sun = SunBefore(site, scenario, before);
  if (!sun) return Propagate(sun);
  scenario::Past past;
  past.carbon = std::move(*carbon);
  past.price = std::move(*price);
  past.renewable = std::move(*sun);
  return past;
}

}  // namespace

Result<DemoWorld> MakeDemoWorld(const std::string& zone, std::uint64_t seed) {
  workload::ScenarioRecipe recipe;
  recipe.name = fmt::format("A week of 64 GPUs, zone {}", zone);
  recipe.hardware = {{"A40", 8, 8}};
  recipe.zone = zone;
  recipe.seed = seed;
  recipe.jobs = 120;
  recipe.load = 0.25;
  recipe.slack = 3.0;
  auto made = workload::MakeRehearsed(recipe, sim::EndsUnderRunNow);
  if (!made) return Propagate(made);
  auto past = PastOf({zone, seed}, made->scenario);
  if (!past) return Propagate(past);
  return DemoWorld{std::move(made->scenario), std::move(*past)};
}

}  // namespace heliostat::cli
