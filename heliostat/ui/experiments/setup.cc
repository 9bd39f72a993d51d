#include "heliostat/ui/experiments/setup.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::experiments {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

constexpr Duration kStep = 1h;

Interval KnownSpan(const workload::ScenarioRecipe& recipe) {
  return {recipe.start - kHistory, recipe.start + recipe.step * static_cast<std::int64_t>(recipe.slots)};
}

// Measured where it was, made where it was not.
Result<signal::Signal> GridSignal(const std::optional<signal::Signal>& measured, const workload::ScenarioRecipe& recipe,
                                  synthetic::TraceKind trace) {
  const Interval span = KnownSpan(recipe);
  if (!measured) {
    return synthetic::Generate(
        {.zone = recipe.zone, .trace = trace, .interval = span, .step = kStep, .seed = recipe.seed});
  }
  signal::Signal signal = *measured;
  auto part = signal.series.Slice(span);
  if (!part) return Propagate(part);
  signal.series = *std::move(part);
  return signal;
}

// The same hour of the same day in the year that was measured. A leap day that it lacks is the day before.
Result<std::vector<double>> OfAnotherYear(const signal::StepSeries& measured, const Interval& span) {
  const std::chrono::year year =
      std::chrono::year_month_day{std::chrono::floor<days>(measured.start() + measured.step())}.year();
  std::vector<double> values;
  for (Instant t = span.begin; t < span.end; t += kStep) {
    const auto day = std::chrono::floor<days>(t);
    const std::chrono::year_month_day date{day};
    std::chrono::year_month_day there = year / date.month() / date.day();
    if (!there.ok()) there = year / date.month() / std::chrono::day{28};
    // A clock west of Greenwich ends its year in the next, by UTC, and begins it late.
    Instant moment = std::chrono::sys_days{there} + (t - day);
    if (moment < measured.start()) moment += days{1};
    if (moment >= measured.end()) moment -= days{1};
    const auto value = measured.At(moment);
    if (!value) return Propagate(value);
    values.push_back(*value);
  }
  return values;
}

Result<std::vector<double>> Plant(const Place& place, const workload::ScenarioRecipe& recipe,
                                  synthetic::TraceKind trace, const Interval& year) {
  if (trace == synthetic::TraceKind::kWind && place.wind) return OfAnotherYear(place.wind->series, year);
  const auto made =
      synthetic::Generate({.zone = recipe.zone, .trace = trace, .interval = year, .step = kStep, .seed = recipe.seed});
  if (!made) return Propagate(made);
  return made->series.values();
}

void ScaleToMeanOne(std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  for (double& value : values) value *= sum > 0.0 ? static_cast<double>(values.size()) / sum : 0.0;
}

// A year of the plant, so that its size is the year's and a winter week has a winter's sun.
Result<std::optional<signal::Signal>> RenewableYear(const Place& place, const workload::ScenarioRecipe& recipe) {
  using workload::OnSite;
  if (recipe.on_site == OnSite::kNone) return std::optional<signal::Signal>{};
  const Instant begin = recipe.start - kHistory;
  const Interval year{begin, begin + days{366}};
  std::vector<double> sum(static_cast<std::size_t>(year.length() / kStep), 0.0);
  for (const auto trace : {synthetic::TraceKind::kSolar, synthetic::TraceKind::kWind}) {
    const bool is_sun = trace == synthetic::TraceKind::kSolar;
    if (is_sun ? recipe.on_site == OnSite::kWind : recipe.on_site == OnSite::kSolar) continue;
    auto plant = Plant(place, recipe, trace, year);
    if (!plant) return Propagate(plant);
    ScaleToMeanOne(*plant);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*plant)[i];
  }
  auto series = signal::StepSeries::Make(begin, kStep, std::move(sum));
  if (!series) return Propagate(series);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCapacityFactor;
  meaning.unit = signal::Unit::kPerUnit;
  return std::optional<signal::Signal>{{"on-site power", meaning, *std::move(series)}};
}

// Requests through the days, history included: a broad peak, less at weekends, and a ripple.
std::vector<double> RateShape(const workload::ScenarioRecipe& recipe) {
  RandomStream random = RandomStream(recipe.seed).Split("rates");
  const double peak_hour = random.Uniform(10.0, 20.0);
  const double swing = random.Uniform(0.4, 0.7);
  const Interval span = KnownSpan(recipe);
  std::vector<double> shape;
  for (Instant t = span.begin; t < span.end; t += recipe.step) {
    const auto day = std::chrono::floor<days>(t);
    const double hour = Seconds(t - day).count() / 3600.0;
    const bool is_weekend = std::chrono::weekday{day}.iso_encoding() > 5;
    const double level = 1.0 + swing * std::cos((hour - peak_hour) / 24.0 * 2.0 * std::numbers::pi);
    shape.push_back(level * (is_weekend ? 0.75 : 1.0) * random.Uniform(0.9, 1.1));
  }
  return shape;
}

double Sum(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

// What came before on the same scale as what is in the scenario.
std::optional<signal::StepSeries> Before(Instant start, Duration step, const std::vector<double>& shape,
                                         const std::vector<double>& inside) {
  const std::size_t before = static_cast<std::size_t>(kHistory / step);
  if (shape.size() < before + inside.size()) return std::nullopt;
  std::vector<double> past(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(before));
  const std::vector<double> same(shape.begin() + static_cast<std::ptrdiff_t>(before),
                                 shape.begin() + static_cast<std::ptrdiff_t>(before + inside.size()));
  const double there = Sum(same);
  const double factor = there > 0.0 ? Sum(inside) / there : 0.0;
  auto series = signal::StepSeries::Make(start - kHistory, step, std::move(past));
  if (!series) return std::nullopt;
  return series->Scaled(factor);
}

std::optional<signal::StepSeries> Before(const signal::Signal& signal, Instant start) {
  const auto part = signal.series.Slice({start - kHistory, start});
  if (!part) return std::nullopt;
  return part->Scaled(signal::ToCanonical(signal.meaning.kind, signal.meaning.unit).factor);
}

scenario::Past PastOf(const workload::ScenarioRecipe& recipe, const scenario::Scenario& scenario,
                      const std::vector<double>& rates) {
  scenario::Past past;
  if (recipe.carbon) past.carbon = Before(*recipe.carbon, recipe.start);
  if (recipe.price) past.price = Before(*recipe.price, recipe.start);
  if (recipe.renewable && recipe.step == kStep) {
    std::vector<double> inside;
    for (const Watts power : scenario.renewable) inside.push_back(InKilowatts(power));
    past.renewable = Before(recipe.start, kStep, recipe.renewable->series.values(), inside);
  }
  for (const scenario::Service& service : scenario.services) {
    past.requests.push_back(Before(recipe.start, recipe.step, rates, service.requests_per_s));
  }
  return past;
}

}  // namespace

Result<Setup> MakeSetup(const Case& one, const StudyPlaces& world) {
  const auto place = world.Find(one.labels.place);
  if (!place) return Propagate(place);
  workload::ScenarioRecipe recipe = one.recipe;
  recipe.zone = (*place)->zone;
  auto carbon = GridSignal((*place)->carbon, recipe, synthetic::TraceKind::kCarbon);
  if (!carbon) return Propagate(carbon);
  recipe.carbon = *std::move(carbon);
  if (recipe.has_prices) {
    auto price = GridSignal((*place)->price, recipe, synthetic::TraceKind::kPrice);
    if (!price) return Propagate(price);
    recipe.price = *std::move(price);
  }
  auto renewable = RenewableYear(**place, recipe);
  if (!renewable) return Propagate(renewable);
  recipe.renewable = *std::move(renewable);
  const std::vector<double> rates = RateShape(recipe);
  recipe.rate_shape.assign(rates.end() - static_cast<std::ptrdiff_t>(recipe.slots), rates.end());
  auto scenario = workload::Make(recipe);
  if (!scenario) return Propagate(scenario);
  for (scenario::Group& group : scenario->groups) {
    group.wake_energy = group.wake_energy * one.wake_cost;
    group.wake_time = Duration{std::llround(Seconds(group.wake_time).count() * one.wake_cost)};
  }
  Setup setup{*std::move(scenario), {}};
  setup.past = PastOf(recipe, setup.scenario, rates);
  return setup;
}

}  // namespace heliostat::experiments
