// Whether generated scenarios are feasible: a very simple planner keeps all deadlines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heliostat/model/scenario/generate.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCell = 1min;

class PlainPlanner {
 public:
  explicit PlainPlanner(const Scenario& scenario) : scenario_(scenario) {
    const auto cells = static_cast<std::size_t>(scenario.horizon().length() / kCell);
    for (const Group& group : scenario.groups) free_.emplace_back(cells, group.gpus());
    for (const Service& service : scenario.services) Reserve(service);
  }

  // The jobs with the least slack first, each with the fewest workers that are enough, as early as GPUs are free.
  bool PlacesAll() {
    std::vector<std::size_t> order(scenario_.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return scenario_.WindowOf(scenario_.jobs[i]).length(); });
    return std::ranges::all_of(order, [&](std::size_t i) { return Places(scenario_.jobs[i]); });
  }

 private:
  // Enough replicas for the peak at 40 % of the rate of one GPU.
  void Reserve(const Service& service) {
    const double peak = *std::ranges::max_element(service.requests_per_s);
    const auto& points = scenario_.inference.Of(service.model, scenario_.groups[0].gpu);
    double alone = 0.0;
    for (const InferencePoint& point : points) {
      if (point.batch == 1) alone = std::max(alone, point.requests_per_s);
    }
    const int replicas = std::max(service.min_replicas, static_cast<int>(std::ceil(peak / alone / 0.4)));
    for (int& gpus : free_[0]) gpus -= replicas;
  }

  bool Places(const Job& job) {
    for (int workers = job.min_workers; workers <= job.max_workers; ++workers) {
      for (std::size_t group = 0; group < scenario_.groups.size(); ++group) {
        if (PlacesIn(job, group, workers)) return true;
      }
    }
    return false;
  }

  bool PlacesIn(const Job& job, std::size_t group, int workers) {
    double speed = 0.0;
    for (const std::size_t i : scenario_.PointsFor(job, group)) {
      const TrainingPoint& point = scenario_.training.Of(job.model, scenario_.groups[group].gpu)[i];
      if (point.workers == workers) speed = std::max(speed, point.samples_per_s);
    }
    if (speed == 0.0) return false;
    const Interval window = scenario_.WindowOf(job);
    const auto first = static_cast<std::size_t>(std::ceil(Seconds(window.begin - scenario_.start) / kCell));
    const auto last = static_cast<std::size_t>((window.end - scenario_.start) / kCell);
    const auto lost = static_cast<std::size_t>(std::ceil(Seconds(job.resume) / kCell));
    std::size_t needed = static_cast<std::size_t>(std::ceil(Seconds{job.samples / speed} / kCell)) + lost;
    std::vector<std::size_t> cells;
    for (std::size_t cell = first; cell < last && cells.size() < needed; ++cell) {
      if (free_[group][cell] < workers) continue;
      const bool goes_on = cells.empty() || cells.back() + 1 == cell;
      if (!goes_on && !job.preemptible) cells.clear();
      if (!goes_on && job.preemptible) needed += lost;
      cells.push_back(cell);
    }
    if (cells.size() < needed) return false;
    for (const std::size_t cell : cells) free_[group][cell] -= workers;
    return true;
  }

  const Scenario& scenario_;
  std::vector<std::vector<int>> free_;  // [group][cell]: GPUs
};

void ExpectFeasible(Shape shape) {
  for (shape.seed = 1; shape.seed <= 5; ++shape.seed) {
    const Scenario made = Generate(shape);
    EXPECT_TRUE(PlainPlanner(made).PlacesAll()) << shape.jobs << " jobs, seed " << shape.seed;
  }
}

TEST(FeasibilityTest, APlainPlannerKeepsAllDeadlinesOfMadeUpScenarios) {
  ExpectFeasible({.load = 0.6});
  ExpectFeasible({.jobs = 400, .slots = 72, .load = 0.6});
  ExpectFeasible({.jobs = 8, .services = 0, .slots = 24, .gpus = 16, .load = 0.6});
  ExpectFeasible({.slots = 48, .groups = 1, .gpus = 64, .load = 0.5});
}

}  // namespace
}  // namespace heliostat::scenario
