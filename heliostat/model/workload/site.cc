#include "heliostat/model/workload/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heliostat/model/workload/to_jobs.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

// Rounded to the precision of a file.
double Rounded(double value, double digits) { return std::round(value * digits) / digits; }

Result<std::vector<double>> OfZone(const ScenarioRecipe& recipe, synthetic::TraceKind trace, const Interval& span,
                                   Duration step) {
  const auto made =
      synthetic::Generate({.zone = recipe.zone, .trace = trace, .interval = span, .step = step, .seed = recipe.seed});
  if (!made) return Propagate(made);
  return made->series.values();
}

Result<std::vector<double>> OfSignal(const signal::Signal& given, signal::Kind kind,
                                     const scenario::Scenario& scenario) {
  const signal::Kind is = given.meaning.kind;
  const bool may_scale = kind == signal::Kind::kPower && is == signal::Kind::kCapacityFactor;
  if (is != kind && !may_scale) {
    return Fail(ErrorCode::kInvalidArgument, given.name,
                is == signal::Kind::kOther ? "does not state its unit" : fmt::format("is {}", NameOf(is)),
                fmt::format("must be {} in a known unit", NameOf(kind)));
  }
  const double factor = is == kind ? signal::ToCanonical(kind, given.meaning.unit).factor : 1.0;
  std::vector<double> means;
  means.reserve(scenario.slots);
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const auto mean = given.series.Mean(scenario.SlotSpan(slot));
    if (!mean) {
      return Fail(
          ErrorCode::kInvalidArgument, given.name, mean.error().what,
          fmt::format("needed are all of {} to {}", FormatInstant(scenario.start), FormatInstant(scenario.end())));
    }
    means.push_back(*mean * factor);
  }
  return means;
}

Result<std::vector<double>> GridValues(const ScenarioRecipe& recipe, const std::optional<signal::Signal>& given,
                                       signal::Kind kind, synthetic::TraceKind trace,
                                       const scenario::Scenario& scenario) {
  if (given) return OfSignal(*given, kind, scenario);
  return OfZone(recipe, trace, scenario.horizon(), scenario.step);
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0.0;
  double count = 0.0;
  for (const double value : values) {
    if (signal::IsMissing(value)) continue;
    sum += value;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

// Power in watts of one GPU at its default setting: the mean over the models of the jobs.
double BusyWatts(const scenario::Scenario& scenario, const scenario::Group& group) {
  std::set<std::string_view> models;
  for (const scenario::Job& job : scenario.jobs) models.insert(job.model);
  double sum = 0.0;
  double count = 0.0;
  for (const std::string_view model : models) {
    double most = 0.0;
    for (const scenario::TrainingPoint& point : scenario.training.Of(std::string(model), group.gpu)) {
      if (point.workers == 1) most = std::max(most, point.power.value);
    }
    sum += most;
    count += most > 0.0 ? 1.0 : 0.0;
  }
  return count > 0.0 ? sum / count : group.gpu_idle.value;
}

// The power of the cluster at its load with every node on.
double MeanDrawKw(const scenario::Scenario& scenario, double load) {
  double watts = 0.0;
  for (const scenario::Group& group : scenario.groups) {
    const double busy = load * BusyWatts(scenario, group) + (1.0 - load) * group.gpu_idle.value;
    watts += group.node_base.value * group.nodes + busy * group.gpus();
  }
  return watts * scenario.pue / 1e3;
}

// A plant's output over the horizon in shares of its mean over a year of that zone's weather. The mean over every third
// day is within 3 % of that of the year and takes a third of the time, which is most of the time to make a scenario.
Result<std::vector<double>> PlantShape(const ScenarioRecipe& recipe, synthetic::TraceKind trace,
                                       const scenario::Scenario& scenario) {
  const auto first = std::chrono::floor<std::chrono::days>(scenario.start);
  double sum = 0.0;
  double count = 0.0;
  for (int day = 0; day < 365; day += 3) {
    const Instant midnight = first + std::chrono::days{day};
    const auto usual = OfZone(recipe, trace, {midnight, midnight + 24h}, 24h);
    if (!usual) return usual;
    sum += usual->front();
    count += 1.0;
  }
  auto shape = OfZone(recipe, trace, scenario.horizon(), scenario.step);
  if (!shape) return shape;
  for (double& value : *shape) value = sum > 0.0 ? value * count / sum : 0.0;
  return shape;
}

Result<std::vector<double>> RenewableShape(const ScenarioRecipe& recipe, const scenario::Scenario& scenario) {
  if (recipe.renewable) {
    auto shape = OfSignal(*recipe.renewable, signal::Kind::kPower, scenario);
    if (!shape) return shape;
    const signal::Meaning& meaning = recipe.renewable->meaning;
    const bool is_power = meaning.kind == signal::Kind::kPower;
    const double factor = is_power ? signal::ToCanonical(meaning.kind, meaning.unit).factor : 1.0;
    const double mean = MeanOf(recipe.renewable->series.values()) * factor;
    for (double& value : *shape) value = mean > 0.0 ? value / mean : 0.0;
    return shape;
  }
  if (recipe.on_site == OnSite::kNone) return std::vector<double>(scenario.slots, 0.0);
  if (recipe.on_site == OnSite::kWind) return PlantShape(recipe, synthetic::TraceKind::kWind, scenario);
  auto sun = PlantShape(recipe, synthetic::TraceKind::kSolar, scenario);
  if (!sun || recipe.on_site == OnSite::kSolar) return sun;
  const auto wind = PlantShape(recipe, synthetic::TraceKind::kWind, scenario);
  if (!wind) return wind;
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) (*sun)[slot] = ((*sun)[slot] + (*wind)[slot]) / 2.0;
  return sun;
}

}  // namespace

double AllGpus(const scenario::Scenario& scenario) {
  double gpus = 0.0;
  for (const scenario::Group& group : scenario.groups) gpus += group.gpus();
  return gpus;
}

double AllGpuHours(const scenario::Scenario& scenario) {
  return AllGpus(scenario) * Seconds(scenario.horizon().length()).count() / 3600.0;
}

Status AddGrid(const ScenarioRecipe& recipe, scenario::Scenario& scenario) {
  const auto zone = synthetic::FindZone(recipe.zone);
  if (!zone) return Propagate(zone);
  const auto carbon =
      GridValues(recipe, recipe.carbon, signal::Kind::kCarbonIntensity, synthetic::TraceKind::kCarbon, scenario);
  if (!carbon) return Propagate(carbon);
  for (const double g : *carbon) scenario.carbon.push_back(GramsPerKwh(Rounded(std::max(g, 0.0), 100.0)));
  scenario.currency = (*zone)->currency;
  if (recipe.price && recipe.price->meaning.currency) scenario.currency = *recipe.price->meaning.currency;
  if (!recipe.has_prices && !recipe.price) return {};
  const auto price = GridValues(recipe, recipe.price, signal::Kind::kPrice, synthetic::TraceKind::kPrice, scenario);
  if (!price) return Propagate(price);
  for (const double amount : *price) scenario.price_per_kwh.push_back(Rounded(amount, 1e5));
  return {};
}

Status AddRenewable(const ScenarioRecipe& recipe, scenario::Scenario& scenario) {
  const auto shape = RenewableShape(recipe, scenario);
  if (!shape) return Propagate(shape);
  const double mean_kw = recipe.renewable_share * MeanDrawKw(scenario, std::min(LoadOf(scenario), 1.0));
  scenario.renewable_carbon = GramsPerKwh(recipe.renewable_carbon_g_per_kwh);
  scenario.renewable.clear();
  for (const double share : *shape) scenario.renewable.push_back(Kilowatts(Rounded(share * mean_kw, 1000.0)));
  return {};
}

}  // namespace heliostat::workload
