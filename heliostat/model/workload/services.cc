#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "heliostat/base/core/random.h"
#include "heliostat/model/workload/site.h"

namespace heliostat::workload {
namespace {

constexpr int kClockSteps = 6;
// The highest utilisation at the peak. At full utilisation queues grow without limit.
constexpr double kBusyAtPeak = 0.65;
// A service keeps at least this many GPUs busy on average.
constexpr double kLeastBusyGpus = 0.25;
constexpr double kWeekend = 0.75;

// The smallest batch at the highest clock on the slowest group: any group with a profile can serve this rate.
scenario::InferencePoint PlainPoint(const scenario::Scenario& scenario, const std::string& model) {
  scenario::InferencePoint slowest;
  for (const scenario::Group& group : scenario.groups) {
    scenario::InferencePoint best{.batch = std::numeric_limits<int>::max()};
    for (const scenario::InferencePoint& point : scenario.inference.Of(model, group.gpu)) {
      const bool is_faster = point.batch == best.batch && point.requests_per_s > best.requests_per_s;
      if (point.batch < best.batch || is_faster) best = point;
    }
    if (best.requests_per_s == 0.0) continue;
    if (slowest.requests_per_s == 0.0 || best.requests_per_s < slowest.requests_per_s) slowest = best;
  }
  return slowest;
}

// The given shape, scaled to the mean.
std::vector<double> ShapedRates(const std::vector<double>& shape, double mean) {
  double sum = 0.0;
  for (const double value : shape) sum += value;
  std::vector<double> rates;
  rates.reserve(shape.size());
  const double factor = sum > 0.0 ? mean * static_cast<double>(shape.size()) / sum : 0.0;
  for (const double value : shape) rates.push_back(std::round(value * factor * 1e4) / 1e4);
  return rates;
}

// Requests per second over the days: a broad peak, less at weekends, and noise from slot to slot.
std::vector<double> DrawRates(const scenario::Scenario& scenario, double mean, RandomStream& random) {
  const double peak_hour = random.Uniform(10.0, 20.0);
  const double swing = random.Uniform(0.4, 0.7);
  std::vector<double> rates;
  rates.reserve(scenario.slots);
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    const Instant begin = scenario.SlotSpan(slot).begin;
    const auto day = std::chrono::floor<std::chrono::days>(begin);
    const double hour = Seconds(begin - day).count() / 3600.0;
    const bool is_weekend = std::chrono::weekday{day}.iso_encoding() > 5;
    const double level = 1.0 + swing * std::cos((hour - peak_hour) / 24.0 * 2.0 * std::numbers::pi);
    const double rate = mean * level * (is_weekend ? kWeekend : 1.0) * random.Uniform(0.9, 1.1);
    rates.push_back(std::round(rate * 1e4) / 1e4);
  }
  return rates;
}

int LargestGroup(const scenario::Scenario& scenario) {
  int most = 0;
  for (const scenario::Group& group : scenario.groups) most = std::max(most, group.gpus());
  return most;
}

}  // namespace

void AddServices(const ScenarioRecipe& recipe, const Catalogue& catalogue, scenario::Scenario& scenario) {
  const std::vector<std::string> models = catalogue.ServingModelsFor(scenario.groups);
  if (recipe.services == 0 || models.empty()) return;
  for (const scenario::Group& group : scenario.groups) {
    for (std::size_t i = 0; i < std::min(models.size(), recipe.services); ++i) {
      const std::string& model = models[i];
      if (!scenario.inference.Of(model, group.gpu).empty()) continue;
      for (auto& point : catalogue.InferencePoints(model, group.gpu, kClockSteps)) {
        scenario.inference.Add(model, group.gpu, point);
      }
    }
  }
  const RandomStream random = RandomStream(recipe.seed).Split("services");
  const double each = recipe.serving_share * AllGpus(scenario) / static_cast<double>(recipe.services);
  for (std::size_t i = 0; i < recipe.services; ++i) {
    RandomStream stream = random.Split(i);
    const std::string& model = models[i % models.size()];
    const scenario::InferencePoint plain = PlainPoint(scenario, model);
    scenario::Service service;
    service.id = fmt::format("s{:02}", i);
    service.model = model;
    service.latency_slo = Seconds{std::ceil(plain.latency.count() * stream.Uniform(6.0, 15.0) * 1e3) / 1e3};
    service.percentile = stream.Chance(0.5) ? 0.99 : 0.95;
    const double mean = std::max(each, kLeastBusyGpus) * plain.requests_per_s;
    service.requests_per_s =
        recipe.rate_shape.empty() ? DrawRates(scenario, mean, stream) : ShapedRates(recipe.rate_shape, mean);
    const double peak = std::ranges::max(service.requests_per_s) / plain.requests_per_s;
    const int replicas = static_cast<int>(std::ceil(peak / kBusyAtPeak)) + 1;
    service.max_replicas = std::clamp(replicas, 1, LargestGroup(scenario));
    scenario.services.push_back(std::move(service));
  }
}

}  // namespace heliostat::workload
