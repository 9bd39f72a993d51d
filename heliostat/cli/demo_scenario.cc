#include "heliostat/cli/demo_scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/scenario/generate.h"
#include "heliostat/synthetic/generate.h"

namespace heliostat::cli {
namespace {

constexpr Watts kPlant = Kilowatts(18);  // about a quarter of what the cluster needs, in June
constexpr std::chrono::weeks kPast{8};   // what forecasts learn from

struct Site {
  std::string_view zone;
  std::uint64_t seed;

  Result<signal::StepSeries> Trace(synthetic::Trace trace, const Interval& span, Duration step) const {
    synthetic::Request request{.zone = zone, .trace = trace, .interval = span, .step = step, .seed = seed};
    if (trace == synthetic::Trace::kSolar) request.capacity = kPlant;
    auto made = synthetic::Generate(request);
    if (!made) return Propagate(made);
    return made->series;
  }
};

Status AddSignals(const Site& site, scenario::Scenario& scenario) {
  const auto carbon = site.Trace(synthetic::Trace::kCarbon, scenario.horizon(), scenario.step);
  if (!carbon) return Propagate(carbon);
  const auto sun = site.Trace(synthetic::Trace::kSolar, scenario.horizon(), scenario.step);
  if (!sun) return Propagate(sun);
  const auto price = site.Trace(synthetic::Trace::kPrice, scenario.horizon(), scenario.step);
  if (!price) return Propagate(price);
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    scenario.carbon[slot] = GramsPerKwh(std::max(0.0, carbon->values()[slot]));
    scenario.renewable[slot] = Kilowatts(sun->values()[slot]);
  }
  scenario.price_per_kwh = price->values();
  return {};
}

Result<scenario::Past> PastOf(const Site& site, const scenario::Scenario& scenario) {
  const Interval before{scenario.start - kPast, scenario.start};
  scenario::Past past;
  const std::pair<synthetic::Trace, std::optional<signal::StepSeries>*> wanted[] = {
      {synthetic::Trace::kCarbon, &past.carbon},
      {synthetic::Trace::kSolar, &past.renewable},
      {synthetic::Trace::kPrice, &past.price}};
  for (const auto& [trace, series] : wanted) {
    auto made = site.Trace(trace, before, scenario.step);
    if (!made) return Propagate(made);
    *series = std::move(*made);
  }
  return past;
}

}  // namespace

Result<DemoWorld> MakeDemoWorld(const std::string& zone, std::uint64_t seed) {
  const auto facts = synthetic::FindZone(zone);
  if (!facts) return Propagate(facts);
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 150;
  shape.groups = 1;
  shape.gpus = 64;
  shape.load = 0.35;
  shape.best_effort = 0.1;
  shape.slack = 4.0;
  DemoWorld world{scenario::Generate(shape), {}};
  world.scenario.name = fmt::format("A week of 64 GPUs, zone {}", zone);
  world.scenario.currency = (*facts)->currency;
  const Site site{(*facts)->name, seed};
  if (const auto bad = AddSignals(site, world.scenario); !bad) return Propagate(bad);
  auto past = PastOf(site, world.scenario);
  if (!past) return Propagate(past);
  world.past = std::move(*past);
  return world;
}

}  // namespace heliostat::cli
