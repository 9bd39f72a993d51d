#include "heliostat/model/scenario/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/made_hardware.h"
#include "heliostat/model/scenario/made_work.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::scenario {
namespace {

// Zones whose carbon intensity varies enough during the day for the time of a run to matter.
constexpr std::array<std::string_view, 5> kZones{"solar-heavy", "wind-heavy", "duck-curve", "mixed-import",
                                                 "thermal-mix"};
constexpr Instant kFirstMonday = std::chrono::sys_days{std::chrono::year{2024} / 1 / 1};
constexpr std::uint64_t kWeeks = 104;
// The least mean output that sizes a plant, because a few hours at night do not show its yield.
constexpr double kLeastSun = 0.05;

std::vector<double> TraceOf(const Scenario& scenario, std::string_view zone, synthetic::TraceKind trace,
                            std::uint64_t seed) {
  const auto made = synthetic::Generate(
      {.zone = zone, .trace = trace, .interval = scenario.horizon(), .step = scenario.step, .seed = seed});
  Check(made.has_value(), "the built-in zone has no values for the generated scenario");
  return made->series.values();
}

// Rounded to the precision of a file.
double Rounded(double value, double digits) { return std::round(value * digits) / digits; }

// The power of all nodes with every GPU training at full power.
Watts FullDraw(const Scenario& scenario) {
  Watts draw;
  for (const Group& group : scenario.groups) {
    Watts most;
    for (const std::string& model : TrainingModels()) {
      for (const TrainingPoint& point : scenario.training.Of(model, group.gpu)) {
        if (point.workers == 1) most = std::max(most, point.power);
      }
    }
    draw += group.node_base * group.nodes + most * group.gpus();
  }
  return draw * scenario.pue;
}

void AddSignals(const Shape& shape, std::string_view zone, std::uint64_t seed, Scenario& scenario) {
  for (const double g : TraceOf(scenario, zone, synthetic::TraceKind::kCarbon, seed)) {
    scenario.carbon.push_back(GramsPerKwh(Rounded(std::max(g, 0.0), 100.0)));
  }
  const auto sun = TraceOf(scenario, zone, synthetic::TraceKind::kSolar, seed);
  double mean = 0.0;
  for (const double share : sun) mean += share / static_cast<double>(sun.size());
  const double capacity_kw = shape.renewable_share * InKilowatts(FullDraw(scenario)) / std::max(mean, kLeastSun);
  for (const double share : sun) scenario.renewable.push_back(Kilowatts(Rounded(share * capacity_kw, 1000.0)));
  if (!shape.prices) return;
  for (const double price : TraceOf(scenario, zone, synthetic::TraceKind::kPrice, seed)) {
    scenario.price_per_kwh.push_back(Rounded(price, 1e5));
  }
}

}  // namespace

Scenario Generate(const Shape& shape) {
  const RandomStream root = RandomStream(shape.seed).Split("scenario");
  RandomStream place = root.Split("place");
  const std::string_view zone = kZones[place.Below(kZones.size())];
  const auto facts = synthetic::FindZone(zone);
  Check(facts.has_value(), "the zone of the generated scenario is not built in");

  Scenario scenario;
  scenario.name = fmt::format("made-{}", shape.seed);
  scenario.start = kFirstMonday + std::chrono::weeks{place.Below(kWeeks)};
  scenario.step = shape.step;
  scenario.slots = shape.slots;
  scenario.pue = Rounded(place.Uniform(1.1, 1.4), 100.0);
  scenario.currency = (*facts)->currency;
  scenario.groups = MakeGroups(shape);
  scenario.training = MakeTraining(shape, scenario.groups, root.Split("training"));
  if (shape.services > 0) scenario.inference = MakeInference(scenario.groups, root.Split("inference"));
  AddSignals(shape, zone, shape.seed, scenario);
  scenario.jobs = MakeJobs(shape, scenario, root.Split("jobs"));
  scenario.services = MakeServices(shape, scenario, root.Split("services"));
  const auto valid = Validate(scenario);
  Check(valid.has_value(), valid ? "" : valid.error().Line());
  return scenario;
}

}  // namespace heliostat::scenario
